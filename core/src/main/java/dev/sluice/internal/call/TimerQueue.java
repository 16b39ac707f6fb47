package dev.sluice.internal.call;

import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The timer queue of one client: renewals, deadlines, polls, ends of waits. Adding and cancelling
 * cost O(log n) and do not touch the timer unless something became due earlier than all else; so
 * acquiring and releasing a lock in a loop does not touch the timer.
 *
 * <p>Safe for use by many threads. Tasks run on the scheduler's thread, in the order they are due.
 */
public final class TimerQueue {
  private static final System.Logger LOG = System.getLogger("dev.sluice");

  private final Ticker ticker;
  private final Scheduler scheduler;
  private final long origin;
  // guarded by this
  private final TreeSet<Entry> entries = new TreeSet<>();
  private long sequence;
  private long armedFor = Long.MAX_VALUE;
  private Runnable disarm = () -> {};
  private boolean closed;

  /**
   * An empty queue.
   *
   * @param ticker monotonic clock
   * @param scheduler runs the one timer
   */
  public TimerQueue(Ticker ticker, Scheduler scheduler) {
    this.ticker = ticker;
    this.scheduler = scheduler;
    this.origin = ticker.nanos();
  }

  /** One task. */
  public final class Entry implements Comparable<Entry> {
    private final long due;
    private final long number;
    private final Runnable task;

    private Entry(long due, long number, Runnable task) {
      this.due = due;
      this.number = number;
      this.task = task;
    }

    /** Removes the task from the queue; no effect if it ran or was removed before. */
    public void cancel() {
      synchronized (TimerQueue.this) {
        entries.remove(this);
      }
    }

    @Override
    public int compareTo(Entry other) {
      int order = Long.compare(due, other.due);
      return order != 0 ? order : Long.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(number);
    }
  }

  /**
   * Runs a task at a time of the ticker, or soon after it.
   *
   * @param nanos the moment; one that has passed means immediately
   */
  public synchronized Entry at(long nanos, Runnable task) {
    Entry entry = new Entry(nanos - origin, sequence++, task);
    if (!closed) {
      entries.add(entry);
      if (entry.due < armedFor) {
        arm(entry.due);
      }
    }
    return entry;
  }

  /** Runs a task after a delay. */
  public Entry in(long delayNanos, Runnable task) {
    return at(ticker.nanos() + delayNanos, task);
  }

  private void arm(long due) {
    disarm.run();
    armedFor = due;
    disarm = scheduler.schedule(this::wake, Math.max(0, due - (ticker.nanos() - origin)));
  }

  private void wake() {
    List<Runnable> tasks = new ArrayList<>();
    synchronized (this) {
      disarm.run(); // another timer may have been armed since this one started
      armedFor = Long.MAX_VALUE;
      disarm = () -> {};
      long now = ticker.nanos() - origin;
      while (!entries.isEmpty() && entries.first().due <= now) {
        Entry first = entries.first();
        entries.remove(first);
        tasks.add(first.task);
      }
      if (!entries.isEmpty()) {
        arm(entries.first().due);
      }
    }
    for (Runnable task : tasks) {
      try {
        task.run();
      } catch (Throwable e) { // one that fails must not keep the others from running
        LOG.log(System.Logger.Level.ERROR, "a timer task failed", e);
      }
    }
  }

  /** The number of queued tasks. */
  public synchronized int size() {
    return entries.size();
  }

  /** Drops all tasks; later ones are refused. */
  public synchronized void close() {
    closed = true;
    entries.clear();
    disarm.run();
  }
}
