package dev.sluice.internal.lock;

import dev.sluice.internal.call.Agenda;
import dev.sluice.lock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * A grant of the store, kept by this process and lent to one local caller after the other. Guarded
 * by the monitor of its {@link LeaseCell}, but for the volatile fields, which leases read.
 */
class Holding {
  final long attempt;
  final LockOptions options;
  final long ttlNanos;

  /** The longest lease that the store was ever asked for: how long it may keep the grant. */
  long longestNanos;

  /** Tokens of the block that are not used up: next to last. */
  long nextToken;

  final long lastToken;

  /** When the grant ends for us. Written under the monitor of this. */
  volatile long deadline;

  /** A caller has seen it end: no renewal counts any more. Guarded by this. */
  private boolean seenEnded;

  /** A renewal is overdue. */
  volatile boolean inDoubt;

  /** How long the store confirmed the grant for at the last time, at most the TTL. */
  long confirmedNanos;

  /** When what it confirmed began. */
  private long confirmedAt;

  long renewAt;

  /**
   * When a lease that is not renewed is to end. A store that cannot look so far ahead confirms a
   * part of it, and is asked again for the rest.
   */
  private long endsAt;

  /** The store said that it does not know, and nothing was heard of it since. */
  boolean unsure;

  boolean renewalUnderWay;

  /** Local turns so far. */
  int turns;

  /** Another process waits, and since when we know. */
  boolean wanted;

  long wantedAt;

  /** No longer this process's: given back, lost or replaced. */
  boolean gone;

  /** No local caller uses it; it is kept because it is sticky. */
  boolean idle;

  long idleSince;

  /** Released with a delay: it is not renewed, and not given back. */
  boolean leaving;

  Agenda.@Nullable Entry next;
  long nextAt;

  Holding(long attempt, LockOptions options, long ttlNanos, long firstToken, int block) {
    this.attempt = attempt;
    this.options = options;
    this.ttlNanos = ttlNanos;
    this.longestNanos = ttlNanos;
    this.nextToken = firstToken;
    this.lastToken = firstToken + block - 1;
  }

  /** The lease is to last until then, if that is later than was said before. */
  void lasts(long until) {
    endsAt = confirmedNanos == 0 || until - endsAt > 0 ? until : endsAt;
  }

  /**
   * The store confirmed the grant; renewal counts back from its end, however late we heard.
   *
   * @param deadline when it ends for us
   * @param nanos how long it was confirmed for
   * @param marginNanos how much earlier than at the store it ends for us
   * @param whole whether no more is to come, but by renewals
   * @return false if a caller has seen the grant end meanwhile
   */
  boolean confirmedUntil(long deadline, long nanos, long marginNanos, boolean whole) {
    synchronized (this) {
      if (seenEnded) {
        return false;
      }
      this.deadline = deadline;
    }
    confirmedNanos = Math.max(1, Math.min(nanos, ttlNanos));
    confirmedAt = deadline + marginNanos - confirmedNanos;
    renewAt = confirmedAt + confirmedNanos / 3;
    unsure = false;
    if (whole) {
      endsAt = deadline;
    }
    return true;
  }

  /** For callers of any thread: once it has ended, it has ended for good. */
  boolean hasEnded(LeaseRules rules, long now) {
    if (rules.isGood(now, deadline)) {
      return false;
    }
    synchronized (this) {
      seenEnded |= !rules.isGood(now, deadline);
      return seenEnded;
    }
  }

  /** Whether the store is to be asked again before the lease ends. */
  boolean isToBeConfirmed() {
    return options.renewing() || isUnconfirmed();
  }

  /** Whether the store has not said that the lease goes on to its end. */
  boolean isUnconfirmed() {
    return unsure || deadline - endsAt < 0;
  }

  /** What to ask the store for: another TTL, or the rest of a lease that is not lengthened. */
  long nextNanos(long now, boolean lengthen) {
    return lengthen ? ttlNanos : Math.max(1000, endsAt - now);
  }

  /** From here on a renewal is overdue. */
  long doubtAt() {
    return isToBeConfirmed() ? confirmedAt + confirmedNanos / 3 * 2 : deadline;
  }

  void markWanted(long now) {
    if (!wanted) {
      wanted = true;
      wantedAt = now;
    }
  }

  /**
   * Whether this process has had its turns while another one waits. In strict order the store alone
   * knows whether one waits: a message may be late.
   */
  boolean hasHadItsTurns(long now) {
    if (turns == 0) {
      return false;
    }
    return options.strictOrder()
        || (wanted
            && (turns >= options.handOffLimit()
                || now - wantedAt >= options.handOffTime().toNanos()));
  }
}
