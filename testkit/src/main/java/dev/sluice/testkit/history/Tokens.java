package dev.sluice.testkit.history;

import dev.sluice.testkit.history.Event.Held;
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
  private record Grant(Held held, int order) {}

  private static final class Names {
    final TreeMap<Long, Grant> grants = new TreeMap<>();
    final Set<Long> given = new HashSet<>();
    long highest;
    long highestReturned;
    int newestWrite = -1;

    @Nullable Grant of(long token) {
      Map.Entry<Long, Grant> entry = grants.floorEntry(token);
      return entry == null || entry.getValue().held.lastToken() < token ? null : entry.getValue();
    }
  }

  private final Map<String, Names> names = new HashMap<>();
  private final Map<Integer, Long> floors = new HashMap<>();

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
      floors.put(invoked.op(), name(invoked.name()).highestReturned);
    } else if (event instanceof Event.Acquired acquired) {
      onAcquired(acquired, name(acquired.name()));
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
    if (grant == null || !grant.held.client().equals(acquired.client())) {
      broken("L2", "the token was not reserved for this client: " + acquired);
    }
    Long floor = floors.get(acquired.op());
    if (assumptions.clocksBehave() && floor != null && token <= floor) {
      broken("L2", "token " + floor + " was returned before this was called: " + acquired);
    }
    state.highestReturned = Math.max(state.highestReturned, token);
  }
}
