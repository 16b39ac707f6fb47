package dev.sluice.internal.bloom;

import static java.util.Objects.requireNonNull;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.internal.call.Failures;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.Names;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One client's Bloom filters over one backend. Safe for use by many threads. */
public final class BloomEngine implements AutoCloseable {
  static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** Requests under way at once for one call. */
  private static final int LANES = 8;

  private static final int MANY_NAMES = 1_000;

  final BloomBackend backend;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * An engine.
   *
   * @param backend the store's verbs
   */
  public BloomEngine(BloomBackend backend) {
    this.backend = backend;
  }

  /**
   * Makes a filter.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param funnel bytes of an element
   * @param spec size of a filter that it creates, or null
   * @param <T> type of the elements
   * @return the filter
   */
  public <T> BloomFilter<T> filter(String name, Funnel<T> funnel, @Nullable BloomSpec spec) {
    checkOpen();
    Names.check(name);
    requireNonNull(funnel, "funnel must not be null");
    if (names.size() < MANY_NAMES) {
      names.add(name);
    }
    return new ClientBloomFilter<>(this, name, funnel, spec);
  }

  /** {@return names of filters that were asked for} */
  public List<String> names() {
    return List.copyOf(names);
  }

  void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  /** Refuses calls from now on. Idempotent. */
  @Override
  public void close() {
    closed = true;
  }

  /** Does something for each number, a few at a time. */
  static CompletableFuture<Void> forEach(
      long from, long to, LongFunction<? extends CompletionStage<?>> step) {
    if (from >= to) {
      return DONE;
    }
    AtomicLong next = new AtomicLong(from);
    int lanes = (int) Math.min(LANES, to - from);
    CompletableFuture<?>[] all = new CompletableFuture<?>[lanes];
    for (int i = 0; i < lanes; i++) {
      all[i] = lane(next, to, step);
    }
    return lanes == 1 ? all[0].thenAccept(done -> {}) : CompletableFuture.allOf(all);
  }

  private static CompletableFuture<Void> lane(
      AtomicLong next, long to, LongFunction<? extends CompletionStage<?>> step) {
    while (true) { // a loop, because a store in this JVM answers at once
      long number = next.getAndIncrement();
      if (number >= to) {
        return DONE;
      }
      CompletableFuture<?> under = step.apply(number).toCompletableFuture();
      if (!under.isDone()) {
        return under.thenCompose(done -> lane(next, to, step));
      }
      if (under.isCompletedExceptionally()) {
        next.set(to);
        return under.thenAccept(done -> {});
      }
    }
  }

  /** Does something a little later, while another process is at work. */
  static <T> CompletableFuture<T> later(long millis, Supplier<CompletableFuture<T>> step) {
    return CompletableFuture.supplyAsync(
            step, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS))
        .thenCompose(stage -> stage);
  }
}
