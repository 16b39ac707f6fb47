package dev.sluice.lock;

import dev.sluice.SluiceException;

/**
 * The last fencing token of a name is so high that no higher one can be told apart (2^53 - 1). The
 * grant is refused: tokens are never repeated. Only a damaged or hand-made value gets there before
 * the year 2255.
 */
public final class TokenExhaustedException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which lock, which token
   */
  public TokenExhaustedException(String message) {
    super(message, null);
  }
}
