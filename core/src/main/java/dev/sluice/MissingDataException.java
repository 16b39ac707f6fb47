package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * The store does not have the data that the call needs: it was never created, was deleted, has
 * expired, was evicted, or was lost with a server. The message names the object and says what to
 * do. Three calls throw it:
 *
 * <ul>
 *   <li>{@code BloomFilter}: the filter, or the partition of an element, is not in the store. It is
 *       not created again silently, because its elements are unknown: create it and add every
 *       element, or rebuild it.
 *   <li>{@code DistributedLatch.await}: the store lost the latch, so it is unknown whether the
 *       count reached zero.
 *   <li>acquiring a lock or a semaphore: the store granted a fencing token that is not higher than
 *       one this process has seen. The store lost its data and its clock is behind. The grant was
 *       released.
 * </ul>
 *
 * @since 0.1
 */
public final class MissingDataException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception with its cause.
   *
   * @param message which object, what is missing, and what to do
   * @param cause the failure underneath, or null
   */
  public MissingDataException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
