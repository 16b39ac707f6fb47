package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * Base of every exception that Sluice throws for external causes: an unreachable store, a lost
 * lease, a wait that timed out. Unchecked. Its subtypes are the cases that a caller may handle in
 * different ways; {@code docs/api.md} lists them.
 *
 * <p>Misuse is not part of this hierarchy. A wrong argument is an {@link IllegalArgumentException},
 * a closed client or a call in the wrong state an {@link IllegalStateException}, and a store that
 * does not have a primitive at all an {@link UnsupportedOperationException}.
 *
 * @since 0.1
 */
public class SluiceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, to which name, with the numbers
   * @param cause the failure underneath, or null
   */
  public SluiceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
