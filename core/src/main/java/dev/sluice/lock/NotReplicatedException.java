package dev.sluice.lock;

import dev.sluice.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * The store granted or renewed a lease, and fewer of its replicas than were asked for confirmed it
 * in time. An acquire that ends so holds nothing: the grant was given back. A renewal that ends so
 * did not lengthen the lease, which lasts as long as it did before.
 */
public final class NotReplicatedException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which lock, how many replicas of how many, how long
   * @param cause the failure underneath, or null
   */
  public NotReplicatedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
