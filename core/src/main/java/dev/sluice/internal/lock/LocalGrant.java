package dev.sluice.internal.lock;

import dev.sluice.internal.call.TimerQueue;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A grant of the store that local callers share: one after another, or several at the same time for
 * units. All times are nanoseconds of the client's clock. Guarded by the monitor of its
 * coordinator, but for the volatile fields, which leases read.
 */
final class LocalGrant {
  final GrantAttempt attempt;
  final LockOptions options;
  final long ttlNanos;

  /**
   * The longest lease that was ever requested from the store: the longest time that it may keep the
   * grant.
   */
  long longestNanos;

  /** Unused tokens of the block: next to last. */
  long nextToken;

  final long lastToken;

  /** The local end of the grant. Written under the monitor of this. */
  volatile long deadline;

  /** A caller has observed the end, so later renewals do not count. Guarded by this. */
  private boolean seenEnded;

  /** A renewal is overdue. */
  volatile boolean inDoubt;

  /** The time for which the store last confirmed the grant, at most the TTL. */
  long confirmedNanos;

  /** The start of the confirmed time. */
  private long confirmedAt;

  long renewAt;

  /**
   * The end of a lease that is not renewed. A store that cannot look so far ahead confirms a part
   * of it, and is asked again for the rest.
   */
  private long endsAt;

  /** The store replied that it does not know, and nothing has arrived since. */
  boolean unsure;

  boolean renewalUnderWay;

  /** The number of local callers served so far. */
  int turns;

  /** The time since which another process is known to wait. */
  boolean wanted;

  long wantedAt;

  /** The grant of this process has ended: released, lost or replaced. */
  boolean gone;

  /** The store's answer to the release of the whole grant; false until that is sent. */
  volatile CompletableFuture<Boolean> release = LocalLease.NOTHING;

  /** No local caller uses the grant; it is kept because it is sticky. */
  boolean idle;

  long idleSince;

  /** Released with a delay: it is not renewed, and no release is sent. */
  boolean leaving;

  TimerQueue.@Nullable Entry next;
  long nextAt;

  /** The capacity of the name at the time of the grant. */
  final int capacity;

  /** The units of the grant. */
  int units;

  /** The units in use. */
  private int used;

  /** Leases that share one unit. */
  private int sharing;

  /** The leases in use, linked from the last to the first. */
  private @Nullable LocalLease newest;

  LocalGrant(
      GrantAttempt attempt,
      LockOptions options,
      UnitRequest unitRequest,
      GrantReply.Granted granted) {
    this.attempt = attempt;
    this.options = options;
    this.ttlNanos = options.ttl().toNanos();
    this.longestNanos = ttlNanos;
    this.nextToken = granted.token();
    this.lastToken = granted.token() + granted.block() - 1;
    this.capacity = unitRequest.capacity();
    this.units = granted.units();
  }

  int free() {
    return units - used;
  }

  int used() {
    return used;
  }

  int sharing() {
    return sharing;
  }

  boolean hasRoomFor(UnitRequest unitRequest) {
    return (unitRequest.shares() && sharing > 0) || free() >= unitRequest.least();
  }

  void lend(LocalLease lease) {
    lease.lent = true;
    lease.earlier = newest;
    if (newest != null) {
      newest.later = lease;
    }
    newest = lease;
    if (!lease.unitRequest.shares()) {
      used += lease.unitRequest.units();
    } else if (sharing++ == 0) {
      used++;
    }
  }

  /** Has no effect if the lease has ended. */
  boolean takeBack(LocalLease lease) {
    if (!lease.lent) {
      return false;
    }
    unlink(lease);
    if (!lease.unitRequest.shares()) {
      used -= lease.unitRequest.units();
    } else if (--sharing == 0) {
      used--;
    }
    return true;
  }

  private void unlink(LocalLease lease) {
    if (lease.later == null) {
      newest = lease.earlier;
    } else {
      lease.later.earlier = lease.earlier;
    }
    if (lease.earlier != null) {
      lease.earlier.later = lease.later;
    }
    lease.earlier = null;
    lease.later = null;
    lease.lent = false;
  }

  /** The grant has ended with all its leases. */
  void clear() {
    while (newest != null) {
      unlink(newest);
    }
  }

  /**
   * {@return the last lease that was lent and not taken back; {@code earlier} leads to the others}
   */
  @Nullable LocalLease newest() {
    return newest;
  }

  /** Extends the lease to that time, if it is later than the present end. */
  void lasts(long until) {
    endsAt = confirmedNanos == 0 || until - endsAt > 0 ? until : endsAt;
  }

  /**
   * The store confirmed the grant; the next renewal is planned from its end, however late the reply
   * came.
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

  /** May be called on any thread. A grant that has ended never becomes live again. */
  boolean hasEnded(LeaseRules rules, long now) {
    if (rules.isGood(now, deadline)) {
      return false;
    }
    synchronized (this) {
      seenEnded |= !rules.isGood(now, deadline);
      return seenEnded;
    }
  }

  /** Whether the store must be polled again before the lease ends. */
  boolean isToBeConfirmed() {
    return options.isRenewing() || isUnconfirmed();
  }

  /** Whether the store has not confirmed the lease to its end. */
  boolean isUnconfirmed() {
    return unsure || deadline - endsAt < 0;
  }

  /** The TTL to request: another TTL, or the rest of a lease that is not renewed. */
  long nextNanos(long now, boolean lengthen) {
    return lengthen ? ttlNanos : Math.max(1000, endsAt - now);
  }

  /** The time from which a renewal is overdue. */
  long doubtAt() {
    return isToBeConfirmed() ? confirmedAt + confirmedNanos / 3 * 2 : deadline;
  }

  /**
   * {@return the time at which the grant needs its coordinator next: for a renewal, a doubt, or an
   * end}
   */
  long dueAt(long now) {
    long at = deadline;
    if (isToBeConfirmed()) {
      if (!renewalUnderWay && mayAskFor(now)) {
        at = earlier(at, renewAt);
      }
      if (!inDoubt) {
        at = earlier(at, doubtAt());
      }
    }
    Duration sticky = options.sticky().orElse(null);
    if (idle && sticky != null) {
      at = earlier(at, idleSince + sticky.toNanos());
    }
    return at;
  }

  private static long earlier(long a, long b) {
    return a - b <= 0 ? a : b;
  }

  /** Whether another request may concern the grant: to extend it, or to confirm it to its end. */
  boolean mayAskFor(long now) {
    return mayRenew(now) || (!leaving && isUnconfirmed());
  }

  boolean mayRenew(long now) {
    if (!options.isRenewing() || leaving) {
      return false;
    }
    for (LocalLease lease = newest; lease != null; lease = lease.earlier) {
      if (!mayRenewFor(lease, options, now)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a grant for this lease may be extended. */
  private static boolean mayRenewFor(LocalLease lease, LockOptions options, long now) {
    Duration maxHold = options.maxHold().orElse(null);
    return (maxHold == null || now - lease.grantedAt < maxHold.toNanos())
        && (lease.boundTo == null || lease.boundTo.isAlive());
  }

  /** Whether a caller may share the grant once there is room. */
  boolean suits(LockOptions wanted, UnitRequest unitRequest) {
    return capacity == unitRequest.capacity()
        && units >= unitRequest.least()
        && (options == wanted || options.equals(wanted))
        && (used == 0 || !isAlone(wanted));
  }

  /** Whether renewal depends on the lease itself, which then needs a separate grant. */
  static boolean isAlone(LockOptions options) {
    return options.maxHold().isPresent() || options.isThreadBound();
  }

  void markWanted(long now) {
    if (!wanted) {
      wanted = true;
      wantedAt = now;
    }
  }

  /**
   * Whether this process has used its consecutive grants while another one waits. In strict order
   * the store alone knows whether one waits: a message may be late.
   */
  boolean hasHadItsTurns(long now) {
    if (turns == 0) {
      return false;
    }
    return options.isFair()
        || (wanted
            && (turns >= options.handOffTurns()
                || now - wantedAt >= options.handOffTime().toNanos()));
  }
}
