package dev.sluice.internal.lock;

import java.util.HashSet;
import java.util.Set;

/**
 * A grant of units, lent in parts to several local callers at once. Guarded by the monitor of its
 * {@link PermitCell}.
 */
final class PermitHolding extends Holding {
  final int capacity;
  final Set<LocalLease> leases = new HashSet<>();

  /** What the grant has. */
  int units;

  /** How much of it is lent. */
  private int used;

  /** Leases that share one unit. */
  private int sharing;

  PermitHolding(LeaseCell.Request request, long firstToken, int block) {
    super(request.attempt, request.options, request.ttlNanos, firstToken, block);
    this.capacity = request.demand.capacity();
    this.units = request.units;
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

  boolean hasRoomFor(Demand demand) {
    return (demand.shares() && sharing > 0) || free() >= demand.least();
  }

  void lend(LocalLease lease) {
    leases.add(lease);
    if (!lease.demand.shares()) {
      used += lease.demand.units();
    } else if (sharing++ == 0) {
      used++;
    }
  }

  /** Does nothing if the lease is over. */
  boolean takeBack(LocalLease lease) {
    if (!leases.remove(lease)) {
      return false;
    }
    if (!lease.demand.shares()) {
      used -= lease.demand.units();
    } else if (--sharing == 0) {
      used--;
    }
    return true;
  }
}
