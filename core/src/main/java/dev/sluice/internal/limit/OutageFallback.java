package dev.sluice.internal.limit;

import dev.sluice.internal.call.Breaker;
import dev.sluice.internal.call.Failures;
import dev.sluice.limit.Outage;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The outage policy of a limiter: decides while the store is unreachable. Safe for use by many
 * threads.
 */
final class OutageFallback {
  private static final System.Logger LOG = System.getLogger("dev.sluice.limit");
  private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_MICROS = Breaker.PAUSE_NANOS / 1000;

  private final String what;
  private final Outage outage;
  private final Ticker ticker;
  private final @Nullable LocalShare share;
  private final AtomicLong nextLog;

  OutageFallback(String what, Outage outage, Ticker ticker) {
    this.what = what;
    this.outage = outage;
    this.ticker = ticker;
    this.share =
        outage.kind() == Outage.Kind.LOCAL_SHARE
            ? new LocalShare(outage.processes(), ticker, LocalShare.MAX_KEYS)
            : null;
    this.nextLog = new AtomicLong(ticker.nanos());
  }

  /**
   * Decides, and logs it at most once a second.
   *
   * @throws RuntimeException if the failure is none of an absent store: the caller must see it
   */
  LimitReply decide(LimitRequest request, LimitPolicy.Tiers tiers, Throwable failure) {
    check(failure);
    if (share != null) {
      return share.decide(request);
    }
    boolean open = outage.kind() == Outage.Kind.OPEN;
    return new LimitReply(
        open ? 1 : 0, 0, 0, tiers.capacity, 0, open ? 0 : PAUSE_MICROS, 0, 0, false, 0);
  }

  /** The fallback of a leaky queue. */
  QueueReply enter(QueueRequest request, Throwable failure) {
    check(failure);
    if (share != null) {
      return share.enter(request);
    }
    boolean open = outage.kind() == Outage.Kind.OPEN;
    return new QueueReply(open, open ? 0 : PAUSE_MICROS, 0, 0, 0);
  }

  private void check(Throwable failure) {
    if (!Failures.isPassing(failure)) {
      throw Failures.forCaller(what, failure);
    }
    long now = ticker.nanos();
    long due = nextLog.get();
    if (now - due >= 0 && nextLog.compareAndSet(due, now + LOG_PAUSE_NANOS)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0}: the outage policy ({1}) decides, because {2}",
          what,
          outage.kind(),
          failure.getMessage());
    }
  }
}
