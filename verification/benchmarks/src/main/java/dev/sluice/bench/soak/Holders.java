package dev.sluice.bench.soak;

import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The holders of each name, over all clients of this process, as the leases report them. */
final class Holders {
  private final String name;
  private final int capacity;
  private final LoadCounts counts;
  private final Map<Lease, Integer> units = new ConcurrentHashMap<>();
  private final AtomicLong highest = new AtomicLong();
  private final AtomicLong highestAlone = new AtomicLong();

  Holders(String name, int capacity, LoadCounts counts) {
    this.name = name;
    this.capacity = capacity;
    this.counts = counts;
  }

  /**
   * The token that the next grant must exceed, to be asked before the call that acquires. Who takes
   * everything comes after all others; those who share come after the last who had everything, and
   * are in no order among each other.
   */
  long floor(int wanted) {
    return (wanted == capacity ? highest : highestAlone).get();
  }

  /**
   * Notes a grant and looks at all of them.
   *
   * @param wanted units that the lease takes
   * @param floor what {@link #floor} was before the call
   */
  void enter(Lease lease, int wanted, long floor) {
    if (lease.token() <= floor) {
      counts.broke("L2", name + " gave token " + lease.token() + " after " + floor);
    }
    highest.accumulateAndGet(lease.token(), Math::max);
    if (wanted == capacity) {
      highestAlone.accumulateAndGet(lease.token(), Math::max);
    }
    units.put(lease, wanted);
    // No lease comes back: who shows time left when it is looked at had it when the copy was made.
    Map<Lease, Integer> all = Map.copyOf(units);
    int held = 0;
    for (Map.Entry<Lease, Integer> one : all.entrySet()) {
      held += isHeld(one.getKey()) ? one.getValue() : 0;
    }
    if (held > capacity) {
      counts.broke("L1", held + " units of " + name + " were held together, of " + capacity);
    }
  }

  private static boolean isHeld(Lease lease) {
    return lease.state() != LeaseState.LOST && lease.remaining().compareTo(Duration.ZERO) > 0;
  }

  /** To be called before the release. */
  void leave(Lease lease) {
    units.remove(lease);
  }
}
