package dev.sluice.verification.history;

import dev.sluice.verification.history.Event.Held;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * L2: tokens are unique and grow in grant order; where clocks behave, also in the real-time order
 * of local turns; a guard never lets an older grant in after a newer one.
 */
final class Tokens extends Rule {
  /** How long a grant may be on its way to the caller. */
  private static final long SLACK = 1_000_000_000L;

  private record Grant(Held held, int order) {}

  private record Rise(long at, long token) {}

  private static final class Names {
    final TreeMap<Long, Grant> grants = new TreeMap<>();
    final Set<Long> given = new HashSet<>();
    long highest;
    long highestReturned;
    final ArrayDeque<Rise> rises = new ArrayDeque<>();
    long highestLongAgo;
    int newestWrite = -1;

    /** Moments only move on, so what lies before one is not looked at again. */
    long highestBefore(long at) {
      for (Rise rise = rises.peek(); rise != null && rise.at < at; rise = rises.peek()) {
        highestLongAgo = rises.remove().token;
      }
      return highestLongAgo;
    }

    @Nullable Grant of(long token) {
      Map.Entry<Long, Grant> entry = grants.floorEntry(token);
      return entry == null || entry.getValue().held.lastToken() < token ? null : entry.getValue();
    }
  }

  private final Map<String, Names> names = new HashMap<>();
  private final Map<Integer, Long> floors = new HashMap<>();

  /** What was returned a longest lease before a call: not even an early end excuses less. */
  private final Map<Integer, Long> lastFloors = new HashMap<>();

  Tokens(Assumptions assumptions) {
    super(assumptions);
  }

  private Names name(String name) {
    return names.computeIfAbsent(name, n -> new Names());
  }

  @Override
  void on(Event event) {
    if (event instanceof Event.Decided decided) {
      onDecided(decided, name(decided.name()));
    } else if (event instanceof Event.Invoked invoked) {
      Names state = name(invoked.name());
      floors.put(invoked.op(), state.highestReturned);
      lastFloors.put(
          invoked.op(),
          state.highestBefore(invoked.at() - assumptions.longestLeaseNanos() - SLACK));
    } else if (event instanceof Event.Acquired acquired && acquired.token() != 0) {
      onAcquired(acquired, name(acquired.name()));
    } else if (event instanceof Event.Ended ended) {
      floors.remove(ended.op());
      lastFloors.remove(ended.op());
    } else if (event instanceof Event.Written written && written.accepted()) {
      Names state = name(written.name());
      Grant grant = state.of(written.token());
      int order = grant == null ? -1 : grant.order;
      if (order < state.newestWrite) {
        broken("L2", "a write of an older grant was accepted after one of a newer: " + written);
      }
      state.newestWrite = Math.max(state.newestWrite, order);
    }
  }

  private void onDecided(Event.Decided decided, Names state) {
    Held after = decided.after();
    if (after == null) {
      return;
    }
    Grant known = state.grants.get(after.token());
    if (known != null && known.held.isSameGrant(after)) {
      return;
    }
    if (after.token() <= state.highest) {
      broken("L2", "token " + after.token() + " after " + state.highest + ": " + decided);
    }
    state.grants.put(after.token(), new Grant(after, state.grants.size()));
    state.highest = Math.max(state.highest, after.lastToken());
  }

  private void onAcquired(Event.Acquired acquired, Names state) {
    long token = acquired.token();
    if (!state.given.add(token)) {
      broken("L2", "the token was handed out before: " + acquired);
    }
    Grant grant = state.of(token);
    if (assumptions.everythingSeen()
        && (grant == null || !grant.held.client().equals(acquired.client()))) {
      broken("L2", "the token was not reserved for this client: " + acquired);
    }
    Long floor = floors.remove(acquired.op());
    if (isCalm(acquired.at()) && floor != null && token <= floor) {
      broken("L2", "token " + floor + " was returned before this was called: " + acquired);
    }
    Long lastFloor = lastFloors.remove(acquired.op());
    if (lastFloor != null && token <= lastFloor) {
      broken("L2", "token " + lastFloor + " was returned long before: " + acquired);
    }
    if (token > state.highestReturned) {
      state.highestReturned = token;
      state.rises.add(new Rise(acquired.at(), token));
    }
  }
}
