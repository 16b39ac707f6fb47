package dev.sluice.internal;

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

  /** When the grant ends for us. */
  volatile long deadline;

  /** A renewal is overdue. */
  volatile boolean inDoubt;

  /** When a lease of the full TTL that ends as this one does began. */
  long confirmedAt;

  long renewAt;
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

  /** The store confirmed the grant; renewal counts back from its end, however late we heard. */
  void confirmedUntil(long deadline, long marginNanos) {
    this.deadline = deadline;
    confirmedAt = deadline + marginNanos - ttlNanos;
    renewAt = confirmedAt + ttlNanos / 3;
  }

  /** From here on a renewal is overdue. */
  long doubtAt() {
    return confirmedAt + ttlNanos / 3 * 2;
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
