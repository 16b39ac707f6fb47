package dev.sluice.lock;

import dev.sluice.SluiceException;

/** The wait for a lock is over and somebody else still holds it. Nothing was taken. */
public final class LockTimeoutException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which lock, how long the wait was
   */
  public LockTimeoutException(String message) {
    super(message, null);
  }
}
