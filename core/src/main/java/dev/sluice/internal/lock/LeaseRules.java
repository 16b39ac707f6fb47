package dev.sluice.internal.lock;

/**
 * The client's arithmetic of leases (protocol P1, P3). Nanoseconds of one monotonic clock; moments
 * are compared by difference, since the clock may wrap. Methods are open for tests that plant a
 * fault.
 */
public class LeaseRules {
  private static final long MIN_MARGIN_NANOS = 2_000_000;
  private static final long EXPIRY_PRECISION_NANOS = 1_000_000;

  private final double drift;

  /**
   * @param drift by how much two clocks may run apart, as a share: 0.01 is 1 %
   */
  public LeaseRules(double drift) {
    this.drift = drift;
  }

  /**
   * The margin by which a lease ends earlier here than at the store: max(2 ms, drift x TTL) + 1 ms.
   */
  public final long margin(long ttlNanos) {
    return Math.max(MIN_MARGIN_NANOS, (long) (ttlNanos * drift)) + EXPIRY_PRECISION_NANOS;
  }

  /** The same, where the store may have confirmed less than the TTL: clocks drift only so long. */
  public final long margin(long remainingNanos, long ttlNanos) {
    return margin(Math.min(remainingNanos, ttlNanos));
  }

  /**
   * The local end of a lease. The store decided after the request left, so time counted from the
   * sending ends before the store's. A store that has more time left than we asked for, from an
   * earlier request, is not believed the rest: the margin covers the drift of one TTL. A store that
   * has confirmed less is asked again before that ends.
   */
  public long deadline(long sentAt, long answeredAt, long remainingNanos, long ttlNanos) {
    return sentAt + Math.min(remainingNanos, ttlNanos) - margin(remainingNanos, ttlNanos);
  }

  /**
   * A renewal that is answered after the old deadline came too late, because the lock may have
   * another holder.
   */
  public boolean renewalCounts(long answeredAt, long oldDeadline) {
    return answeredAt - oldDeadline < 0;
  }

  /** Whether a lease is still good. */
  public boolean isGood(long now, long deadline) {
    return now - deadline < 0;
  }

  /**
   * Whether the next local caller may start without a request to the store: at least half the TTL
   * is left.
   */
  public boolean mayHandOff(long now, long deadline, long ttlNanos) {
    return deadline - now >= ttlNanos / 2;
  }
}
