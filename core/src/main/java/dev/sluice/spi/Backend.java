package dev.sluice.spi;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store that Sluice runs on. A backend answers a few atomic verbs and returns at once; queuing,
 * deadlines, back-off, renewal and hand-off are the core's.
 *
 * <p>Safe for use by many threads.
 */
public interface Backend extends AutoCloseable {

  /** {@return kind and place, for people: "Redis at localhost:6379". Never a secret} */
  String describe();

  /**
   * {@return the verbs of the lock protocol}
   *
   * @throws UnsupportedOperationException if this backend has no locks; the message names those
   *     that do
   */
  LockBackend locks();

  /**
   * {@return the verbs of rate limits}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default LimitBackend limits() {
    throw new UnsupportedOperationException(
        describe() + " has no rate limits; Redis and memory have");
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
   * {@return the verbs of count-down latches}
   *
   * @throws UnsupportedOperationException if this backend has none; the message names those that do
   */
  default LatchBackend latches() {
    throw new UnsupportedOperationException(describe() + " has no latches; Redis and memory have");
  }

  /**
   * What an operator should know about the store, for people: a line each.
   *
   * @return none by default, and where the store does not tell
   */
  default CompletionStage<List<String>> notes() {
    return CompletableFuture.completedFuture(List.of());
  }

  /** Gives up connections. Calls under way fail; later ones are refused. Idempotent. */
  @Override
  void close();
}
