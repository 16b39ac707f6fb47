package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * Too few nodes of a quorum answered for a decision. Nothing was granted: grants of single nodes
 * are undone in the background. The failure may pass, so a wait for a lock goes on until its own
 * end.
 *
 * @since 0.1
 */
public final class NoQuorumException extends BackendException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which quorum, which call, how many answered, why the others did not
   * @param cause a node's failure, or null
   */
  public NoQuorumException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
