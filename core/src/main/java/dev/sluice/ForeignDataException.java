package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * Something that Sluice did not write stands under one of its keys, or a value of ours was damaged.
 * It is reported and never overwritten: look at the key named in the message and remove it.
 */
public final class ForeignDataException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which key, and what was found there
   * @param cause the driver's failure, or null
   */
  public ForeignDataException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
