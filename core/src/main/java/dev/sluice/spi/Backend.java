package dev.sluice.spi;

import dev.sluice.Finding;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store that Sluice runs on. A backend answers a few atomic verbs without waiting; queuing,
 * deadlines, back-off, renewal and hand-off are the core's.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public interface Backend extends AutoCloseable {

  /** {@return the kind and address, for messages: "Redis at localhost:6379". Never a secret} */
  String describe();

  /**
   * {@return the operations of the lock protocol}
   *
   * @throws UnsupportedOperationException if this backend has no locks; the message names those
   *     that do
   */
  GrantBackend locks();

  /**
   * {@return the operations of semaphores and read-write locks}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default GrantBackend permits() {
    throw new UnsupportedOperationException(
        describe()
            + " has no semaphores and read-write locks; Redis, ZooKeeper, SQL and memory have");
  }

  /**
   * {@return the verbs of rate limits}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default LimitBackend limits() {
    throw new UnsupportedOperationException(
        describe() + " has no rate limits; Redis, SQL and memory have");
  }

  /**
   * {@return the verbs of Bloom filters}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default BloomBackend blooms() {
    throw new UnsupportedOperationException(
        describe() + " has no Bloom filters; Redis and memory have");
  }

  /**
   * {@return the verbs of guarded caches}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default CacheBackend caches() {
    throw new UnsupportedOperationException(describe() + " has no caches; Redis and memory have");
  }

  /**
   * {@return the operations of count-down latches}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default LatchBackend latches() {
    throw new UnsupportedOperationException(
        describe() + " has no latches; Redis, SQL and memory have");
  }

  /**
   * {@return the verbs of limited stock}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default InventoryBackend inventories() {
    throw new UnsupportedOperationException(
        describe() + " has no inventories; Redis, SQL and memory have");
  }

  /**
   * {@return the boards of short-lived notes}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default NoteBackend notes() {
    throw new UnsupportedOperationException(
        describe() + " has no notes of processes; Redis, SQL and memory have");
  }

  /**
   * Looks for settings of this store that break a guarantee of Sluice. Bounded in time and in the
   * work that it makes for the store, and changes nothing there. What the store refuses to tell is
   * a finding too; the stage fails only if there was no answer at all.
   *
   * @return the findings, in any order; none by default
   */
  default CompletionStage<List<Finding>> diagnose() {
    return CompletableFuture.completedFuture(List.of());
  }

  /** Closes the connections. Calls under way fail; later ones are refused. Idempotent. */
  @Override
  void close();
}
