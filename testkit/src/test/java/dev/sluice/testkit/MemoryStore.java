package dev.sluice.testkit;

import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.LockState;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The in-memory backend under test, on a clock that stands still or on the real one. */
final class MemoryStore implements StoreUnderTest {
  private final @Nullable ManualTime time;
  private final MemoryBackend backend;
  private final Duration patience;

  private MemoryStore(@Nullable ManualTime time, MemoryBackend backend, Duration patience) {
    this.time = time;
    this.backend = backend;
    this.patience = patience;
  }

  static MemoryStore onManualTime() {
    ManualTime time = new ManualTime();
    return new MemoryStore(time, new MemoryBackend(time::storeMicros), Duration.ofSeconds(20));
  }

  static MemoryStore onRealTime() {
    return new MemoryStore(null, new MemoryBackend(), Duration.ofSeconds(20));
  }

  /** A store with a fault: tests must fail on it, and soon. */
  static MemoryStore faulty(Function<String, LockState> state) {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time, new MemoryBackend(time::storeMicros, state), Duration.ofMillis(500));
  }

  @Override
  public Backend connect() {
    return backend;
  }

  @Override
  public void configure(Sluice.Builder builder) {
    if (time != null) {
      builder.time(time, time);
    }
  }

  @Override
  public void pass(Duration span) {
    if (time != null) {
      time.advance(span);
      return;
    }
    long end = System.nanoTime() + span.toNanos();
    for (long left = span.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void loseData() {
    backend.clear();
  }

  @Override
  public boolean forgetsInTime(String name) {
    pass(Duration.ofMillis(TimeUnit.MICROSECONDS.toMillis(LockProtocol.RETENTION_MICROS) + 1));
    return !backend.names(Integer.MAX_VALUE).toCompletableFuture().join().contains(name);
  }
}
