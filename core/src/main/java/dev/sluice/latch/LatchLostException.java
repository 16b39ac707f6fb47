package dev.sluice.latch;

import dev.sluice.SluiceException;

/**
 * The store no longer knows a latch that somebody waits for: it lost its data, or was out of reach
 * for so long that it forgot whether the latch opened. Nobody can say whether the count reached
 * zero.
 */
public final class LatchLostException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which latch
   */
  public LatchLostException(String message) {
    super(message, null);
  }
}
