package dev.sluice.lock;

import dev.sluice.SluiceException;

/**
 * The store granted a fencing token that is not higher than one this process has seen for the name.
 * The grant is refused and given back, since a resource that saw the higher token would refuse us
 * anyway. The store lost its data and its clock is behind; see the condition of promise L2.
 */
public final class TokenOrderException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which lock, which tokens
   */
  public TokenOrderException(String message) {
    super(message, null);
  }
}
