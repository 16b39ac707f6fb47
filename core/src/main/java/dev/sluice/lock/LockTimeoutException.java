package dev.sluice.lock;

import dev.sluice.SluiceException;

/**
 * The wait for a lock or a permit timed out while another caller held it. Nothing was taken.
 *
 * @since 0.1
 */
public final class LockTimeoutException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which lock, how long the wait was
   */
  public LockTimeoutException(String message) {
    super(message, null);
  }
}
