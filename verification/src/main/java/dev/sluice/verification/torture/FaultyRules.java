package dev.sluice.verification.torture;

import dev.sluice.internal.lock.LeaseRules;

/** Clients that count wrongly, each in one point: what the tests must be able to notice. */
public final class FaultyRules {
  private static final double DRIFT = 0.01;

  private FaultyRules() {}

  /** A lease counts from the moment of the answer. */
  public static LeaseRules deadlineFromTheReply() {
    return new LeaseRules(DRIFT) {
      @Override
      public long deadline(long sentAt, long answeredAt, long remaining, long ttl) {
        return super.deadline(answeredAt, answeredAt, remaining, ttl);
      }
    };
  }

  /** A lease ends with the store's entry, to the nanosecond. */
  public static LeaseRules noMargin() {
    return new LeaseRules(DRIFT) {
      @Override
      public long deadline(long sentAt, long answeredAt, long remaining, long ttl) {
        return sentAt + remaining;
      }
    };
  }

  /** The margin is that of the TTL, though an earlier request may have left more time. */
  public static LeaseRules marginOfTheTtlAlone() {
    return new LeaseRules(DRIFT) {
      @Override
      public long deadline(long sentAt, long answeredAt, long remaining, long ttl) {
        return sentAt + remaining - margin(ttl);
      }
    };
  }

  /** A renewal counts whenever its answer comes. */
  public static LeaseRules renewalCountsAfterTheDeadline() {
    return new LeaseRules(DRIFT) {
      @Override
      public boolean renewalCounts(long answeredAt, long oldDeadline) {
        return true;
      }
    };
  }

  /** The next thread gets the lease, however little of it is left. */
  public static LeaseRules handOffWithoutALookAtTheDeadline() {
    return new LeaseRules(DRIFT) {
      @Override
      public boolean mayHandOff(long now, long deadline, long ttlNanos) {
        return true;
      }
    };
  }

  /** A lease is good at any time. */
  public static LeaseRules goodForEver() {
    return new LeaseRules(DRIFT) {
      @Override
      public boolean isGood(long now, long deadline) {
        return true;
      }
    };
  }
}
