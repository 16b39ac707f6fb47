package dev.sluice.internal.call;

import dev.sluice.spi.Ticker;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Fails requests whose deadline has passed. Every request that has a deadline is entered here. The
 * timeout of a store's driver is a backstop: it is longer as a rule, and frees what a request holds
 * in the driver. Safe for use by many threads.
 *
 * @param <T> a request
 */
public final class Deadlines<T extends Deadlines.Timed> {
  /*
   * A timer for each request would cost more than the rest of the request. So there is one for the
   * earliest, and when it goes off all are looked at. Most requests have the same time and end in
   * the order in which they began, at the head of the queue. In a crowd whose time is over the timer
   * goes off once a millisecond at most: each look costs as much as there are requests.
   */
  private static final long RESOLUTION_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A request with a due time. */
  public interface Timed {
    /** The ticker's time of its deadline. */
    long due();

    /** The deadline has passed, and the call was removed. Runs on the thread of the timer. */
    void late();
  }

  private final Ticker ticker;
  private final TimerQueue timers;

  /** Approximately in the order of their due times. */
  private final ConcurrentLinkedQueue<T> open = new ConcurrentLinkedQueue<>();

  // written under this: when the alarm goes off; nothing is due earlier
  private volatile long alarm;
  private volatile boolean armed;

  /**
   * Without requests.
   *
   * @param ticker monotonic clock
   * @param timers of the same clock
   */
  public Deadlines(Ticker ticker, TimerQueue timers) {
    this.ticker = ticker;
    this.timers = timers;
  }

  /** Adds a request. */
  public void add(T request) {
    open.add(request);
    watch(request.due());
  }

  /**
   * Removes a request.
   *
   * @return false if another thread did, or it has run out of time
   */
  public boolean remove(T request) {
    return open.remove(request);
  }

  /** {@return the requests that are entered} */
  public Iterable<T> open() {
    return open;
  }

  private void watch(long due) {
    if (!armed || due - alarm < 0) {
      arm(due);
    }
  }

  private synchronized void arm(long due) {
    if (!armed || due - alarm < 0) {
      alarm = due;
      armed = true;
      timers.at(due, this::look);
    }
  }

  private void look() {
    armed = false; // first, so that a request which is not seen below arms it
    long now = ticker.nanos();
    for (T request : open) {
      if (now - request.due() < 0) {
        watch(Math.max(request.due() - now, RESOLUTION_NANOS) + now);
      } else if (open.remove(request)) {
        request.late();
      }
    }
  }
}
