package dev.sluice.lock;

import dev.sluice.SluiceException;

/**
 * The lease ended before its holder released it: it expired, or the store no longer has its grant.
 * Do not trust work that was done under it without a check of its fencing token.
 *
 * @since 0.1
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
