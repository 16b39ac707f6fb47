package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * Data under a key of Sluice cannot be used: Sluice did not write it, or it is damaged. Sluice
 * never overwrites such data. Look at the key that the message names, and remove it.
 *
 * <p>A fencing token at its highest value (2^53 - 1) counts as damaged, because tokens are never
 * repeated. Tokens follow the store's clock and reach that value in the year 2255; earlier only a
 * wrong or manually written value does. On ZooKeeper tokens end after 8191 elections of a leader.
 *
 * @since 0.1
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
