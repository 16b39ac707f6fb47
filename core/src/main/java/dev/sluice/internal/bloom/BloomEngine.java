package dev.sluice.internal.bloom;

import static java.util.Objects.requireNonNull;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.internal.call.Failures;
import dev.sluice.spi.BloomBackend;
import dev.sluice.text.Names;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The Bloom filters of one client over one backend. Safe for use by many threads. */
public final class BloomEngine implements AutoCloseable {
  private static final int MANY_NAMES = 1_000;

  private final BloomBackend backend;
  private final Executor callbacks;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * An engine.
   *
   * @param backend the store's verbs
   * @param callbacks runs what blocks
   */
  public BloomEngine(BloomBackend backend, Executor callbacks) {
    this.backend = backend;
    this.callbacks = callbacks;
  }

  /**
   * Returns a filter.
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
    return new ClientBloomFilter<>(backend, this::checkOpen, callbacks, name, funnel, spec);
  }

  /** {@return the names of the filters in use} */
  public List<String> names() {
    return List.copyOf(names);
  }

  private void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  /** Refuses further calls. Idempotent. */
  @Override
  public void close() {
    closed = true;
  }
}
