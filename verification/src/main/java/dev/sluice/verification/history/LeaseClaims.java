package dev.sluice.verification.history;

import dev.sluice.lock.LeaseState;
import dev.sluice.verification.history.Event.Held;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * L1, L4, L5: what leases claim. A belief lasts from the moment the caller has the lease until it
 * calls release, its listener gets the loss, or the deadline that the lease shows has passed.
 */
final class LeaseClaims extends Rule {
  private static final long ROUNDING_NANOS = 2_000;

  /** Leases that ended and are still known, so that a long history is no long memory. */
  private static final int MAX_ENDED = 100_000;

  private static final class Claim {
    final Event.Acquired acquired;
    long until = Long.MIN_VALUE;
    long releasedAt = Long.MAX_VALUE;
    boolean over;
    boolean lost;
    boolean wasOurs;

    /** When it must be over, after its entry was lost. */
    long latest = Long.MAX_VALUE;

    Claim(Event.Acquired acquired) {
      this.acquired = acquired;
    }

    boolean stands(long at) {
      return !over && until > at;
    }
  }

  private final Map<Integer, Claim> claims = new HashMap<>();
  private final Map<String, List<Claim>> open = new HashMap<>();
  private final Map<String, TreeMap<Long, Held>> entries = new HashMap<>();
  private final Map<String, Long> resumed = new HashMap<>();
  private final Set<String> gone = new HashSet<>();
  private final ArrayDeque<Integer> ended = new ArrayDeque<>();

  LeaseClaims(Assumptions assumptions) {
    super(assumptions);
  }

  @Override
  void on(Event event) {
    if (event instanceof Event.Decided decided) {
      Held after = decided.after();
      if (after != null) {
        entries.computeIfAbsent(decided.name(), n -> new TreeMap<>()).put(after.token(), after);
      }
    } else if (event instanceof Event.Acquired acquired) {
      Claim claim = new Claim(acquired);
      claims.put(acquired.op(), claim);
      open.computeIfAbsent(acquired.name(), n -> new ArrayList<>()).add(claim);
    } else if (event instanceof Event.Deadline deadline) {
      onDeadline(deadline, claim(deadline.op()));
    } else if (event instanceof Event.ReleaseCalled called) {
      Claim claim = claim(called.op());
      claim.releasedAt = Math.min(claim.releasedAt, called.at());
      end(claim);
    } else if (event instanceof Event.Released released) {
      Claim claim = claim(released.op());
      if (released.wasOurs() && claim.wasOurs) {
        broken("L3", "two releases of one lease were the first: " + released);
      }
      claim.wasOurs |= released.wasOurs();
      if (assumptions.everythingSeen() && released.wasOurs() && claim.until <= claim.releasedAt) {
        broken("L3", "release after the deadline said that the lease was ours: " + released);
      }
    } else if (event instanceof Event.Told told) {
      onTold(told, claim(told.op()));
    } else if (event instanceof Event.Written written) {
      Claim claim = claims.get(written.op());
      if (!written.accepted()
          && claim != null
          && claim.stands(written.at())
          && isCalm(written.at())) {
        broken("L1", "a guard refused a holder whose lease is good: " + written);
      }
    } else if (event instanceof Event.Fault fault) {
      onFault(fault);
    }
  }

  private Claim claim(int op) {
    Claim claim = claims.get(op);
    if (claim == null) {
      throw new IllegalArgumentException("nothing was acquired by #" + op);
    }
    return claim;
  }

  private void onDeadline(Event.Deadline deadline, Claim claim) {
    long at = deadline.at();
    Event.Acquired acquired = claim.acquired;
    boolean wasOver =
        assumptions.everythingSeen()
            && claim.until != Long.MIN_VALUE
            && at >= claim.until + ROUNDING_NANOS;
    if (claim.lost || wasOver) {
      broken("L5", "a lease that was lost came back: " + deadline);
    }
    if (claim.until == Long.MIN_VALUE && deadline.until() > at && isCalm(at)) {
      for (Claim other : open.getOrDefault(acquired.name(), List.of())) {
        if (other != claim && other.stands(at)) {
          broken(
              "L1", "two hold " + acquired.name() + ": " + other.acquired + "\n  and: " + acquired);
        }
      }
    }
    if (deadline.until() > claim.latest) {
      broken("L3", "a lease was renewed whose entry was lost: " + acquired + "\n  " + deadline);
    }
    claim.until = deadline.until();
    Held entry = entry(acquired);
    if (isCalm(at) && entry != null && entry.until() + ROUNDING_NANOS < deadline.until()) {
      broken("L4", "the lease outlives the store's entry " + entry + ": " + deadline);
    }
  }

  private @Nullable Held entry(Event.Acquired acquired) {
    TreeMap<Long, Held> grants = entries.get(acquired.name());
    Map.Entry<Long, Held> grant = grants == null ? null : grants.floorEntry(acquired.token());
    return grant == null ? null : grant.getValue();
  }

  private void onTold(Event.Told told, Claim claim) {
    if (told.state() != LeaseState.LOST) {
      return;
    }
    if (claim.lost) {
      broken("L5", "loss was told twice: " + told);
    }
    claim.lost = true;
    long due = Math.max(claim.until, claim.acquired.at());
    long back = resumed.getOrDefault(claim.acquired.client(), Long.MIN_VALUE);
    if (told.at() > Math.max(due, back) + assumptions.toldWithinNanos()) {
      broken(
          "L5",
          "loss was told late: " + told + "; deadline " + new Event.Deadline(due, told.op(), due));
    }
    end(claim);
  }

  private void end(Claim claim) {
    if (claim.over) {
      return;
    }
    claim.over = true;
    open.getOrDefault(claim.acquired.name(), new ArrayList<>()).remove(claim);
    ended.add(claim.acquired.op());
    if (ended.size() > MAX_ENDED) {
      claims.remove(ended.remove());
    }
  }

  private void onFault(Event.Fault fault) {
    switch (fault.kind()) {
      case RESUMED -> resumed.put(fault.client(), fault.at());
      case AMNESIA -> {
        for (Claim claim : fault.amount() > 0 ? claims.values() : List.<Claim>of()) {
          if (!claim.over && claim.acquired.at() < fault.at() - fault.amount()) {
            claim.latest = Math.min(claim.latest, fault.at() + assumptions.longestLeaseNanos());
          }
        }
      }
      case GONE -> {
        gone.add(fault.client());
        List<Claim> leaving = new ArrayList<>();
        for (Claim claim : claims.values()) {
          if (!claim.over && claim.acquired.client().equals(fault.client())) {
            leaving.add(claim);
          }
        }
        leaving.forEach(this::end);
      }
      case SETTLED -> {
        for (Claim claim : claims.values()) {
          if (!claim.lost
              && claim.releasedAt == Long.MAX_VALUE
              && !gone.contains(claim.acquired.client())) {
            broken("L5", "loss was never told: " + claim.acquired);
          }
        }
      }
      default -> {}
    }
  }
}
