package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * Root of everything that Sluice throws when the world is broken: a store that does not answer, a
 * lease that was lost, data that is not ours. Being refused is never an exception but a return
 * value; wrong arguments are {@link IllegalArgumentException}.
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
