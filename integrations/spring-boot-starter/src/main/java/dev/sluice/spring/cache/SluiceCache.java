package dev.sluice.spring.cache;

import dev.sluice.cache.GuardedCache;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.support.SimpleValueWrapper;

/** Adapts a guarded cache to Spring's cache annotations. Safe for use by many threads. */
final class SluiceCache implements Cache {
  /** The bound after which two loads that wait for each other continue. */
  private static final long MAX_WAIT_MILLIS = 1_000;

  private static final int MAX_TRIES = 3;

  private final GuardedCache<Object, Object> store;
  private final @Nullable TransactionalWrites transactions;

  SluiceCache(GuardedCache<Object, Object> store, @Nullable TransactionalWrites transactions) {
    this.store = store;
    this.transactions = transactions;
  }

  /** Carries a loader's failure through the cache. */
  private static final class LoaderFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LoaderFailure(Throwable cause) {
      super(cause);
    }

    Throwable reason() {
      Throwable cause = getCause();
      return cause == null ? this : cause;
    }
  }

  @Override
  public String getName() {
    return store.name();
  }

  @Override
  public GuardedCache<Object, Object> getNativeCache() {
    return store;
  }

  // ---- reading ----

  @Override
  public @Nullable ValueWrapper get(Object key) {
    CacheCall call = CacheCall.current();
    if (call == null) {
      return store.getIfPresent(key).map(SimpleValueWrapper::new).orElse(null);
    }
    String text = KeyText.text(key);
    if (CacheCall.loads(this, text)) {
      call.add(Lookup.withoutRight(this, text));
      return null;
    }
    Lookup lookup = new Lookup(this, store, key, text);
    Optional<Object> value;
    try {
      value = lookup.await(CacheCall.holdsAny() ? MAX_WAIT_MILLIS : 0);
    } catch (Lookup.NotBroughtException | LoaderFailure e) { // let this caller fail by itself
      call.add(Lookup.withoutRight(this, text));
      return null;
    }
    if (value == null) {
      call.add(lookup);
      return null;
    }
    return new SimpleValueWrapper(value.orElse(null));
  }

  @Override
  public <T> @Nullable T get(Object key, @Nullable Class<T> type) {
    ValueWrapper wrapper = get(key);
    Object value = wrapper == null ? null : wrapper.get();
    if (value != null && type != null && !type.isInstance(value)) {
      throw new IllegalStateException(
          "cached value is not a " + type.getName() + ": " + value.getClass().getName());
    }
    return cast(value);
  }

  @Override
  public <T> @Nullable T get(Object key, Callable<T> loader) {
    String text = KeyText.text(key);
    if (CacheCall.loads(this, text)) {
      return load(key, loader);
    }
    try {
      for (int i = 0; i < MAX_TRIES; i++) {
        try {
          Optional<Object> value =
              CacheCall.holdsAny()
                  ? getWithin(key, text, loader)
                  : store.get(key, wanted -> loaded(loader));
          return cast(value.orElse(null));
        } catch (Lookup.NotBroughtException e) {
          // another caller loaded and did not store; try to load here
        }
      }
    } catch (LoaderFailure e) {
      throw new ValueRetrievalException(key, loader, e.reason());
    }
    return load(key, loader);
  }

  /** Bounds a wait, so that a call that holds permits does not wait forever. */
  private Optional<Object> getWithin(Object key, String text, Callable<?> loader) {
    Lookup lookup = new Lookup(this, store, key, text);
    Optional<Object> value = lookup.await(MAX_WAIT_MILLIS);
    if (value != null) {
      return value;
    }
    try {
      Object loaded = loaded(loader);
      lookup.bring(loaded);
      return Optional.ofNullable(loaded);
    } finally {
      lookup.giveUp();
    }
  }

  private static @Nullable Object loaded(Callable<?> loader) {
    try {
      return loader.call();
    } catch (Throwable e) {
      throw new LoaderFailure(e);
    }
  }

  private static <T> @Nullable T load(Object key, Callable<T> loader) {
    try {
      return loader.call();
    } catch (Throwable e) {
      throw new ValueRetrievalException(key, loader, e);
    }
  }

  @SuppressWarnings("unchecked") // as Spring's own: the caller says what it is
  private static <T> @Nullable T cast(@Nullable Object value) {
    return (T) value;
  }

  @Override
  public CompletableFuture<?> retrieve(Object key) {
    CacheCall call = CacheCall.current();
    if (call != null && call.isAsync()) {
      throw new UnsupportedOperationException(
          "a @Cacheable method that returns before its result is there needs sync = true, in cache"
              + " '"
              + getName()
              + "': Spring would store the result without knowing what happened meanwhile");
    }
    return store
        .async()
        .getIfPresent(key)
        .toCompletableFuture()
        .thenApply(value -> value.map(SimpleValueWrapper::new).orElse(null));
  }

  @Override
  public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
    return store
        .async()
        .get(key, wanted -> (CompletionStage<Object>) (CompletionStage<?>) loader.get())
        .toCompletableFuture()
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return CompletableFuture.<T>completedFuture(cast(value.orElse(null)));
              }
              Throwable cause =
                  failure instanceof CompletionException ? failure.getCause() : failure;
              if (cause instanceof Lookup.NotBroughtException) {
                return loader.get();
              }
              Throwable reason = cause instanceof LoaderFailure wrapped ? wrapped.reason() : cause;
              return CompletableFuture.<T>failedFuture(reason == null ? failure : reason);
            })
        .thenCompose(value -> value);
  }

  // ---- writing ----

  @Override
  public void put(Object key, @Nullable Object value) {
    String text = KeyText.text(key);
    CacheCall call = CacheCall.current();
    Lookup lookup = call == null ? null : call.find(this, text);
    if (lookup != null) {
      if (lookup.mayFill()) {
        lookup.bring(value);
      }
    } else if (value == null || inTransaction()) {
      evict(key);
    } else {
      store.put(key, value);
    }
  }

  @Override
  public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
    boolean[] stored = {false};
    Optional<Object> now =
        store.get(
            key,
            wanted -> {
              stored[0] = true;
              return value;
            });
    return stored[0] ? null : new SimpleValueWrapper(now.orElse(null));
  }

  @Override
  public void evict(Object key) {
    if (transactions != null && inTransaction()) {
      transactions.announce(store, key, KeyText.text(key));
    } else {
      store.invalidate(key);
    }
  }

  @Override
  public void clear() {
    store.clear();
    if (transactions != null && inTransaction()) {
      transactions.clearAfterwards(store);
    }
  }

  private boolean inTransaction() {
    return transactions != null && transactions.isActive();
  }
}
