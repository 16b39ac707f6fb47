package dev.sluice.lock;

import dev.sluice.SluiceException;

/**
 * The lease can no longer be proved: its time ran out, or the store says that it belongs to nobody
 * or to somebody else. Work done under it must not be trusted without a check of its fencing token.
 */
public final class LeaseLostException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which lock, which token, why
   */
  public LeaseLostException(String message) {
    super(message, null);
  }
}
