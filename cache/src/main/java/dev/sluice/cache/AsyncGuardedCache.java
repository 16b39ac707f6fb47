package dev.sluice.cache;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link GuardedCache} without blocking. Stages complete on a thread of the client, or on the
 * caller's if the answer is at hand; their failures are what the blocking form throws. The loader
 * given at creation runs on the client's executor.
 *
 * @param <K> keys
 * @param <V> values
 * @since 0.1
 */
public interface AsyncGuardedCache<K, V> {

  /** See {@link GuardedCache#get(Object)}. */
  CompletionStage<Optional<V>> get(K key);

  /**
   * Reads as {@link #get(Object)}, with another loader.
   *
   * @param key the key
   * @param loader starts a load; a stage of null means absent
   * @return the value, or empty if it is absent
   */
  CompletionStage<Optional<V>> get(
      K key, Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader);

  /** See {@link GuardedCache#getIfPresent}. */
  CompletionStage<Optional<V>> getIfPresent(K key);

  /** See {@link GuardedCache#getAll}. */
  CompletionStage<Map<K, V>> getAll(Collection<? extends K> keys);

  /** See {@link GuardedCache#put(Object, Object)}. */
  CompletionStage<Void> put(K key, V value);

  /** See {@link GuardedCache#put(Object, Object, Duration)}. */
  CompletionStage<Void> put(K key, V value, Duration ttl);

  /** See {@link GuardedCache#invalidate}. */
  CompletionStage<Void> invalidate(K key);

  /** See {@link GuardedCache#invalidateAll}. */
  CompletionStage<Void> invalidateAll(Collection<? extends K> keys);

  /** See {@link GuardedCache#invalidateTag}. */
  CompletionStage<Void> invalidateTag(String tag);

  /** See {@link GuardedCache#clear}. */
  CompletionStage<Void> clear();

  /**
   * See {@link GuardedCache#update(Object, Supplier)}.
   *
   * @param key the key
   * @param write starts the write; the update ends after it does
   * @param <T> what the write returns
   * @return what the write returned
   */
  <T extends @Nullable Object> CompletionStage<T> update(
      K key, Supplier<? extends CompletionStage<T>> write);

  /** See {@link GuardedCache#refresh}. */
  CompletionStage<Optional<V>> refresh(K key);
}
