package dev.sluice.memory;

import static java.util.Objects.requireNonNull;

import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock for tests, which moves only when a test moves it: ticker, scheduler and store clock in
 * one. Threads that wait for a lock wake up when it moves past the end of their wait.
 *
 * <pre>{@code
 * ManualTime time = new ManualTime();
 * Sluice sluice = Sluice.builder().backend(new MemoryBackend(time::storeMicros)).time(time, time).build();
 * time.advance(Duration.ofSeconds(31)); // leases run out, renewals happen
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class ManualTime implements Ticker, Scheduler {
  private record Key(long due, long number) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = Long.compare(due, other.due);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  // 2026-01-01T00:00:00Z; any fixed moment does
  private static final long EPOCH_MICROS = 1_767_225_600_000_000L;

  private final Set<Thread> parked = ConcurrentHashMap.newKeySet();
  // guarded by this
  private final TreeMap<Key, Runnable> tasks = new TreeMap<>();
  private long nanos;
  private long number;
  private long storeStepMicros;

  /** Creates a clock at an arbitrary time. */
  public ManualTime() {}

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  /** {@return the store's clock: microseconds since the epoch} */
  public synchronized long storeMicros() {
    return EPOCH_MICROS + nanos / 1000 + storeStepMicros;
  }

  /**
   * Steps the store's clock alone, as an operator or a time daemon may do.
   *
   * @param step forward, or backward when negative
   */
  public synchronized void stepStoreClock(Duration step) {
    storeStepMicros += step.toNanos() / 1000;
  }

  @Override
  public synchronized Runnable schedule(Runnable task, long delayNanos) {
    Key key = new Key(nanos + Math.max(0, delayNanos), number++);
    tasks.put(key, requireNonNull(task, "task must not be null"));
    return () -> {
      synchronized (this) {
        tasks.remove(key);
      }
    };
  }

  @Override
  public void park(Object blocker, long nanos) {
    Thread thread = Thread.currentThread();
    long until = nanos() + nanos;
    parked.add(thread);
    try {
      if (nanos() - until < 0) {
        LockSupport.park(blocker);
      }
    } finally {
      parked.remove(thread);
    }
  }

  /**
   * Moves time forward and runs due tasks on this thread, each at its time.
   *
   * @param time zero or more
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("time must not go back: " + time);
    }
    long until;
    synchronized (this) {
      until = nanos + time.toNanos();
    }
    while (runNext(until)) {
      // each task may schedule more
    }
    synchronized (this) {
      nanos = until;
    }
    parked.forEach(LockSupport::unpark);
  }

  private boolean runNext(long until) {
    Runnable task;
    synchronized (this) {
      if (tasks.isEmpty() || tasks.firstKey().due > until) {
        return false;
      }
      nanos = Math.max(nanos, tasks.firstKey().due);
      task = tasks.pollFirstEntry().getValue();
    }
    task.run();
    return true;
  }
}
