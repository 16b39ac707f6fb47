package dev.sluice.redis.connection;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects a dead subscription connection that neither side has closed, because its host vanished or
 * the network drops its packets. Sends a {@code PING} a second, and only while a message matters to
 * this process. Safe for use by many threads.
 */
public final class SubscriptionProbe implements AutoCloseable {
  /*
   * Silence is counted in intervals, and not read from a clock. After a pause of this process one
   * interval is over, not many, so the reply that waits to be read is read before the next.
   */
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The number of intervals without a PING reply after which the subscription is closed; more if a
   * request may take longer.
   */
  private static final int MIN_PATIENCE = 3;

  /** The longest interval between the requests of a waiting caller. */
  private static final long MIN_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long MAX_NANOS = TimeUnit.DAYS.toNanos(365);

  /** The probed subscription. */
  interface Subscription {
    /** Whether the connection is open, according to the driver. */
    boolean isOpen();

    /** Sends a PING. The answer is reported by {@link SubscriptionProbe#heard}. */
    void ping();

    /** Closes the connection, so that the driver opens another one and subscribes again. */
    void giveUp();
  }

  private final Timer timer;
  private final LongSupplier clock;
  private final int patience;
  private final AtomicBoolean planned = new AtomicBoolean();

  /** The time until which messages matter. */
  private final AtomicLong until;

  /** The number of intervals without a reply to the PING; 0 if none is under way. */
  private final AtomicInteger silent = new AtomicInteger();

  private volatile @Nullable Subscription subscription;
  private volatile boolean closed;

  /**
   * A probe without a subscription.
   *
   * @param timer runs the probes
   * @param clock monotonic, nanoseconds
   * @param requestTimeout how long a server may take to answer
   */
  public SubscriptionProbe(Timer timer, LongSupplier clock, Duration requestTimeout) {
    this.timer = timer;
    this.clock = clock;
    this.until = new AtomicLong(clock.getAsLong());
    this.patience = (int) Math.max(MIN_PATIENCE, requestTimeout.plusMillis(999).toSeconds());
  }

  /** Probes this subscription while messages matter. */
  void watch(Subscription opened) {
    subscription = opened;
    plan();
  }

  /** Extends the time for which messages matter. Cheap enough for every request. */
  public void expect(long micros) {
    long nanos = TimeUnit.MICROSECONDS.toNanos(micros);
    long end = clock.getAsLong() + Math.min(MAX_NANOS, Math.max(MIN_NANOS, nanos));
    for (long known = until.get(); end - known > 0; known = until.get()) {
      // somewhat later, so that it is seldom written
      if (until.compareAndSet(known, end + INTERVAL_NANOS)) {
        plan();
        return;
      }
    }
  }

  /** Called for each message of the connection. */
  void heard() {
    if (silent.get() != 0) {
      silent.set(0);
    }
  }

  private boolean isNeeded() {
    return !closed && subscription != null && until.get() - clock.getAsLong() > 0;
  }

  private void plan() {
    if (isNeeded() && planned.compareAndSet(false, true)) {
      try {
        timer.in(INTERVAL_NANOS, this::probe);
      } catch (RejectedExecutionException e) {
        closed = true; // an application has shut down its client
      }
    }
  }

  private void probe() {
    Subscription probed = subscription;
    try {
      if (isNeeded() && probed != null) {
        probe(probed);
      } else {
        silent.set(0);
      }
    } finally {
      planned.set(false);
      plan();
    }
  }

  private void probe(Subscription probed) {
    if (!probed.isOpen()) {
      silent.set(0);
    } else if (silent.compareAndSet(0, 1)) {
      probed.ping();
    } else if (silent.updateAndGet(count -> count == 0 ? 0 : count + 1) > patience) {
      silent.set(0);
      probed.giveUp();
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
