package dev.sluice.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The operations of guarded caches: each is one atomic step on one key, decided by the store's
 * clock, as in {@code CacheState}. No call blocks; failures are those of {@link GrantBackend}.
 *
 * @since 0.1
 */
public interface CacheBackend {

  /**
   * Returns why a reader may see a value that an invalidation dropped: a confirmed write may be
   * lost while the store runs.
   *
   * @return the reason, for people; null if no confirmed write is lost
   */
  @Nullable String whyNotStrong();

  /**
   * Reads a value, fresh or stale.
   *
   * @param key which
   * @return the entry, or null if there is none
   */
  CompletionStage<@Nullable CacheEntry> read(CacheKey key);

  /**
   * Requests the fill lease. Repeating it with the same attempt is safe.
   *
   * @param request who asks, for what
   * @return the decision
   */
  CompletionStage<CacheReply> begin(CacheRequest request);

  /**
   * Extends a live fill lease.
   *
   * @param key which
   * @param client the process
   * @param attempt the attempt that holds it
   * @param leaseMicros time from now, in microseconds; a lease is never shortened
   * @return false if the lease is lost
   */
  CompletionStage<Boolean> keep(CacheKey key, String client, long attempt, long leaseMicros);

  /**
   * Stores a value and ends the lease, if the lease is alive; wakes the waiters.
   *
   * @param key which
   * @param client the process
   * @param attempt the attempt that holds the lease
   * @param value what to store
   * @return false if the lease was gone and nothing was stored
   */
  CompletionStage<Boolean> fill(CacheKey key, String client, long attempt, CacheValue value);

  /**
   * Ends a lease without a value; wakes the waiters. Idempotent.
   *
   * @param key which
   * @param client the process
   * @param attempt the attempt that may hold it
   * @return completes when it is done
   */
  CompletionStage<Void> abandon(CacheKey key, String client, long attempt);

  /**
   * Announces a write: drops the value and ends the lease; no client can store a value until the
   * intent ends. Repeating it lengthens the intent.
   *
   * @param key which
   * @param client the process
   * @param attempt distinguishes this write from every other of this client
   * @param ttlMicros how long the intent stands at most, in microseconds from now
   * @return false if the intent was not there before: at its first time, or because it had ended
   */
  CompletionStage<Boolean> intend(CacheKey key, String client, long attempt, long ttlMicros);

  /**
   * Drops the value, ends the lease and this attempt's intent, and wakes the waiters. Idempotent.
   *
   * @param key which
   * @param client the process
   * @param attempt the write that is over; 0 if none was announced
   * @return completes when it is done
   */
  CompletionStage<Void> invalidate(CacheKey key, String client, long attempt);

  /**
   * Stores a value without a lease, ends other clients' lease, and wakes the waiters. While a write
   * is announced, the value is dropped instead.
   *
   * @param key which
   * @param value what to store
   * @return completes when it is done
   */
  CompletionStage<Void> put(CacheKey key, CacheValue value);

  /**
   * Invalidates every key that the cache had at the time of the call. Takes many steps.
   *
   * @param cache name of the cache
   * @return completes when it is done
   */
  CompletionStage<Void> clear(String cache);

  /**
   * The version of a cache's tags: an entry loaded after this call survives earlier invalidations
   * of tags.
   *
   * @param cache name of the cache
   * @return a number that never gets smaller
   */
  CompletionStage<Long> tagVersion(String cache);

  /**
   * Invalidates every entry with a tag that was loaded before.
   *
   * @param cache name of the cache
   * @param tag the tag
   * @param keepMicros how long to remember it, in microseconds: at least the lifetime of any entry
   * @return completes when it is done
   */
  CompletionStage<Void> invalidateTag(String cache, String tag, long keepMicros);

  /**
   * The times at which tags were last invalidated.
   *
   * @param cache name of the cache
   * @param tags the tags, at least one
   * @return the greatest version at which one of them was; 0 for never
   */
  CompletionStage<Long> invalidatedAt(String cache, List<String> tags);

  /**
   * Appends to the log of a cache, for the copies of other processes.
   *
   * @param cache name of the cache
   * @param key the key that was dropped, or {@link CacheLog#ALL}
   * @return the place of what was appended
   */
  CompletionStage<String> append(String cache, String key);

  /**
   * Reads the log of a cache.
   *
   * @param cache name of the cache
   * @param after a place that {@link #append} or an earlier page gave
   * @return what came after it; a page, so that a long log takes several calls
   */
  CompletionStage<CacheLog> log(String cache, String after);

  /**
   * Delivers the keys for which a value or the lease is available. A message is a hint: it may be
   * lost, late or repeated.
   *
   * @param client the process
   * @param listener called for each message; must not block
   * @return completes once messages are delivered
   */
  CompletionStage<Void> listenForLoads(String client, Consumer<CacheKey> listener);

  /**
   * Ends {@link #listenForLoads}.
   *
   * @param client the process
   */
  void unlistenForLoads(String client);
}
