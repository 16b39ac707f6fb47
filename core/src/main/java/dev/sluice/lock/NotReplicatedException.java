package dev.sluice.lock;

import dev.sluice.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * The store granted or renewed a lease, but fewer replicas than required confirmed it in time. If
 * an acquire throws it, nothing is held: the grant was released. If a renewal throws it, the lease
 * keeps its old deadline.
 *
 * @since 0.1
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
