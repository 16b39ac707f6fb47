package dev.sluice.memory;

import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheLog;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheValue;
import dev.sluice.state.CacheState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The guarded caches of a {@link MemoryBackend}. */
final class MemoryCaches implements CacheBackend {
  private static final int CALLS_PER_SWEEP = 1024;
  private static final int PAGE = 1000;
  private static final int LOG_LENGTH = 10_000;

  private final LongSupplier clock;
  private final Supplier<CacheState> newState;
  private final Map<CacheKey, CacheState> states = new ConcurrentHashMap<>();
  private final Map<String, Shared> shared = new ConcurrentHashMap<>();
  private final Map<String, Consumer<CacheKey>> listeners = new ConcurrentHashMap<>();
  private final AtomicInteger calls = new AtomicInteger(CALLS_PER_SWEEP);

  /** Shared state of the keys of one cache; guarded by its monitor. */
  private static final class Shared {
    private record Dropped(long version, long until) {}

    final Map<String, Dropped> tags = new ConcurrentHashMap<>();
    final ArrayDeque<String> log = new ArrayDeque<>();
    long version;

    /** The position of the first entry of the log; positions grow by one. */
    long first;
  }

  MemoryCaches(LongSupplier clock, Supplier<CacheState> newState) {
    this.clock = clock;
    this.newState = newState;
  }

  @Override
  public @Nullable String whyNotStrong() {
    return null;
  }

  @FunctionalInterface
  private interface Decision<T> {
    T decide(long now, CacheState state, List<String> woken);
  }

  /** Runs one atomic step on one key, and sends messages after it. */
  private <T> CompletionStage<T> decide(CacheKey key, Decision<T> decision) {
    if (calls.decrementAndGet() == 0) {
      sweep();
      calls.set(Math.max(CALLS_PER_SWEEP, states.size())); // a constant cost per call
    }
    List<String> woken = new ArrayList<>(0);
    CompletableFuture<T> reply = new CompletableFuture<>();
    states.compute(
        key,
        (k, known) -> {
          CacheState state = known == null ? newState.get() : known;
          long now = clock.getAsLong();
          reply.complete(decision.decide(now, state, woken));
          return state.isForgettable(now) ? null : state;
        });
    for (String client : woken) {
      Consumer<CacheKey> listener = listeners.get(client);
      if (listener != null) {
        listener.accept(key);
      }
    }
    return reply;
  }

  private CompletionStage<Void> done(CacheKey key, Decision<?> decision) {
    return decide(key, decision).thenAccept(any -> {});
  }

  @Override
  public CompletionStage<@Nullable CacheEntry> read(CacheKey key) {
    CompletableFuture<@Nullable CacheEntry> reply = new CompletableFuture<>();
    states.computeIfPresent(
        key,
        (k, state) -> {
          long now = clock.getAsLong();
          reply.complete(state.read(now));
          return state.isForgettable(now) ? null : state;
        });
    reply.complete(null); // if it has gone meanwhile
    return reply;
  }

  @Override
  public CompletionStage<CacheReply> begin(CacheRequest request) {
    return decide(request.key(), (now, state, woken) -> state.begin(now, request));
  }

  @Override
  public CompletionStage<Boolean> keep(
      CacheKey key, String client, long attempt, long leaseMicros) {
    return decide(key, (now, state, woken) -> state.keep(now, client, attempt, leaseMicros));
  }

  @Override
  public CompletionStage<Boolean> fill(
      CacheKey key, String client, long attempt, CacheValue value) {
    return decide(key, (now, state, woken) -> state.fill(now, client, attempt, value, woken));
  }

  @Override
  public CompletionStage<Void> abandon(CacheKey key, String client, long attempt) {
    return done(
        key,
        (now, state, woken) -> {
          state.abandon(now, client, attempt, woken);
          return true;
        });
  }

  @Override
  public CompletionStage<Boolean> intend(
      CacheKey key, String client, long attempt, long ttlMicros) {
    return decide(key, (now, state, woken) -> state.intend(now, client, attempt, ttlMicros, woken));
  }

  @Override
  public CompletionStage<Void> invalidate(CacheKey key, String client, long attempt) {
    return done(
        key,
        (now, state, woken) -> {
          state.invalidate(now, client, attempt, woken);
          return true;
        });
  }

  @Override
  public CompletionStage<Void> put(CacheKey key, CacheValue value) {
    return done(
        key,
        (now, state, woken) -> {
          state.put(now, value, woken);
          return true;
        });
  }

  @Override
  public CompletionStage<Void> clear(String cache) {
    // twice: what was being loaded when the first pass went by is a value by the second
    for (int pass = 0; pass < 2; pass++) {
      for (CacheKey key : states.keySet()) {
        if (key.cache().equals(cache)) {
          invalidate(key, "", 0);
        }
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  private <T> CompletionStage<T> inCache(String cache, Function<Shared, T> step) {
    Shared common = shared.computeIfAbsent(cache, any -> new Shared());
    synchronized (common) {
      return CompletableFuture.completedFuture(step.apply(common));
    }
  }

  @Override
  public CompletionStage<Long> tagVersion(String cache) {
    return inCache(cache, common -> common.version);
  }

  @Override
  public CompletionStage<Void> invalidateTag(String cache, String tag, long keepMicros) {
    return inCache(
            cache,
            common -> {
              long now = clock.getAsLong();
              common.tags.values().removeIf(dropped -> dropped.until <= now);
              common.version = Math.max(common.version + 1, now);
              common.tags.put(tag, new Shared.Dropped(common.version, now + keepMicros));
              return true;
            })
        .thenAccept(any -> {});
  }

  @Override
  public CompletionStage<Long> invalidatedAt(String cache, List<String> tags) {
    return inCache(
        cache,
        common ->
            tags.stream()
                .map(common.tags::get)
                .mapToLong(dropped -> dropped == null ? 0 : dropped.version)
                .max()
                .orElse(0));
  }

  @Override
  public CompletionStage<String> append(String cache, String key) {
    return inCache(
        cache,
        common -> {
          if (common.log.isEmpty()) {
            common.first = clock.getAsLong(); // a place from before a loss is not one of these
          } else if (common.log.size() == LOG_LENGTH) {
            common.log.removeFirst();
            common.first++;
          }
          common.log.addLast(key);
          return Long.toString(common.first + common.log.size() - 1);
        });
  }

  @Override
  public CompletionStage<CacheLog> log(String cache, String after) {
    return inCache(
        cache,
        common -> {
          long from = Long.parseLong(after) - common.first;
          if (from < 0 || from >= common.log.size()) {
            return new CacheLog(false, after, List.of());
          }
          List<String> keys = common.log.stream().skip(from + 1).limit(PAGE).toList();
          return new CacheLog(true, Long.toString(common.first + from + keys.size()), keys);
        });
  }

  @Override
  public CompletionStage<Void> listenForLoads(String client, Consumer<CacheKey> listener) {
    listeners.put(client, listener);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlistenForLoads(String client) {
    listeners.remove(client);
  }

  void forgetAll() {
    states.clear();
    shared.clear();
  }

  /** Removes empty states; each state is examined in a separate step. */
  private void sweep() {
    for (CacheKey key : states.keySet()) {
      states.computeIfPresent(
          key, (k, state) -> state.isForgettable(clock.getAsLong()) ? null : state);
    }
  }
}
