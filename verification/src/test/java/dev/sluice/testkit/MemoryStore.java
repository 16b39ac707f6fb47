package dev.sluice.testkit;

import dev.sluice.SluiceBuilder;
import dev.sluice.memory.FaultyMemory;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.LockProtocol;
import dev.sluice.state.CacheState;
import dev.sluice.state.LatchState;
import dev.sluice.state.SaleState;
import dev.sluice.state.grant.GrantState;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The in-memory backend under test, on a clock that stands still or on the real one. */
final class MemoryStore implements StoreUnderTest {
  private final @Nullable ManualTime time;
  private final AtomicLong aheadMicros;
  private final MemoryBackend backend;
  private final Duration patience;

  private MemoryStore(
      @Nullable ManualTime time, AtomicLong aheadMicros, MemoryBackend backend, Duration patience) {
    this.time = time;
    this.aheadMicros = aheadMicros;
    this.backend = backend;
    this.patience = patience;
  }

  static MemoryStore onManualTime() {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time, new AtomicLong(), new MemoryBackend(time::storeMicros), Duration.ofSeconds(60));
  }

  static MemoryStore onRealTime() {
    long wall = System.currentTimeMillis() * 1000;
    long start = System.nanoTime();
    AtomicLong ahead = new AtomicLong();
    MemoryBackend backend =
        new MemoryBackend(() -> wall + ahead.get() + (System.nanoTime() - start) / 1000);
    return new MemoryStore(null, ahead, backend, Duration.ofSeconds(60));
  }

  /** A store with a fault: tests must fail on it, and soon. */
  static MemoryStore faulty(Function<String, GrantState> state) {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time,
        new AtomicLong(),
        FaultyMemory.locks(time::storeMicros, state),
        Duration.ofMillis(500));
  }

  /** A store that decides wrongly about semaphores and read-write locks. */
  static MemoryStore faultyPermits(Function<String, GrantState> state) {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time,
        new AtomicLong(),
        FaultyMemory.permits(time::storeMicros, state),
        Duration.ofMillis(500));
  }

  /** A store that decides wrongly about limits. */
  static MemoryStore faultyLimits(FaultyMemory.Limits decider) {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time,
        new AtomicLong(),
        FaultyMemory.limits(time::storeMicros, decider),
        Duration.ofMillis(500));
  }

  /** A store that decides wrongly about caches. */
  static MemoryStore faultyCaches(Supplier<CacheState> state) {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time,
        new AtomicLong(),
        FaultyMemory.caches(time::storeMicros, state),
        Duration.ofMillis(500));
  }

  /** A store that decides wrongly about latches. */
  static MemoryStore faultyLatches(Supplier<LatchState> state) {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time,
        new AtomicLong(),
        FaultyMemory.latches(time::storeMicros, state),
        Duration.ofMillis(500));
  }

  /** A store that decides wrongly about stock. */
  static MemoryStore faultyInventories(Supplier<SaleState> state) {
    ManualTime time = new ManualTime();
    return new MemoryStore(
        time,
        new AtomicLong(),
        FaultyMemory.stock(time::storeMicros, state),
        Duration.ofMillis(500));
  }

  @Override
  public Backend connect() {
    return backend;
  }

  @Override
  public void configure(SluiceBuilder builder) {
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
    StoreUnderTest.super.pass(span);
  }

  @Override
  public long nanos() {
    return time == null ? System.nanoTime() : time.nanos();
  }

  @Override
  public Duration patience() {
    return patience;
  }

  @Override
  public void loseData() {
    backend.clear();
  }

  @Override
  public boolean forgetsInTime(String name) {
    // the retention counts from the last token, which may be ahead of the clock
    long micros = LockProtocol.RETENTION_MICROS + LockProtocol.MAX_LEAD_MICROS + 1;
    if (time != null) {
      time.advance(Duration.ofNanos(micros * 1000));
    } else {
      aheadMicros.addAndGet(micros); // the store's clock alone
    }
    return !backend.locks().names(Integer.MAX_VALUE).toCompletableFuture().join().contains(name)
        && !backend.permits().names(Integer.MAX_VALUE).toCompletableFuture().join().contains(name);
  }
}
