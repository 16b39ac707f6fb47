package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be reached, refused the call, or did not answer in time. Where the call would
 * have changed something, its outcome is unknown: see {@link OutcomeUnknownException}.
 *
 * @since 0.1
 */
public class BackendException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which store, which call, how long
   * @param cause the driver's failure, or null
   */
  public BackendException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
