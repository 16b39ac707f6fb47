package dev.sluice.verification.history;

import dev.sluice.spi.GrantReply;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.verification.history.Event.Held;
import dev.sluice.verification.history.Event.SentMessage;
import dev.sluice.verification.history.Event.Verb;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * L6: the store serves live waiters in turn, one message for each hand-over, and never leaves the
 * lock free while one waits; after the last fault every waiter is served within the bound.
 */
final class Turns extends Rule {
  private static final long HEARTBEAT_NANOS = LockProtocol.HEARTBEAT_MICROS * 1000;
  private static final long FRESH_NANOS = HEARTBEAT_NANOS - 1_000_000;

  /**
   * The time at which an attempt joined the queue: between two moments, since a ticket whose
   * heartbeat was missed keeps its place until another ticket passes it.
   */
  private record Place(long attempt, long earliest, long latest) {}

  private static final class Names {
    List<String> queue = List.of();
    final Map<String, Long> polled = new HashMap<>();
    final Map<String, Place> places = new HashMap<>();
    final Set<Long> tokens = new HashSet<>();

    boolean isFresh(String client, long at) {
      Long last = polled.get(client);
      return last != null && at - last < FRESH_NANOS;
    }

    boolean cameBefore(Held next, String waiter) {
      if (queue.contains(next.client())) {
        return queue.indexOf(next.client()) < queue.indexOf(waiter);
      }
      Place mine = places.get(next.client());
      Place other = places.get(waiter);
      return mine != null
          && mine.attempt == next.attempt()
          && (other == null || mine.earliest <= other.latest);
    }
  }

  private final Map<String, Names> names = new HashMap<>();
  private final Map<Integer, Event.Invoked> waiting = new HashMap<>();
  private long healedAt = Long.MAX_VALUE;

  Turns(Assumptions assumptions) {
    super(assumptions);
  }

  @Override
  void on(Event event) {
    if (event instanceof Event.Decided decided) {
      onDecided(decided, names.computeIfAbsent(decided.name(), n -> new Names()));
    } else if (event instanceof Event.Invoked invoked) {
      waiting.put(invoked.op(), invoked);
    } else if (event instanceof Event.Acquired acquired) {
      served(waiting.remove(acquired.op()), event);
    } else if (event instanceof Event.Ended ended) {
      served(waiting.remove(ended.op()), event);
    } else if (event instanceof Event.Fault fault) {
      onFault(fault);
    }
  }

  private void onDecided(Event.Decided decided, Names state) {
    long at = decided.at();
    Held after = decided.after();
    boolean looked = decided.verb() != Verb.RENEW && !(decided.reply() instanceof GrantReply.Over);
    if (after == null && looked) {
      for (String waiter : decided.waiters()) {
        if (state.isFresh(waiter, at)) {
          broken("L6", "the lock was left free while " + waiter + " waits: " + decided);
        }
      }
    }
    if (after != null && state.tokens.add(after.token())) {
      for (String waiter : state.queue) {
        boolean others = !waiter.equals(after.client()) && !waiter.equals(decided.client());
        if (others && state.isFresh(waiter, at) && !state.cameBefore(after, waiter)) {
          broken("L6", waiter + " was passed over: " + decided);
        }
      }
      Long last = state.polled.remove(after.client());
      boolean handedOver = !after.client().equals(decided.client());
      if (handedOver && last != null && at - last > HEARTBEAT_NANOS) {
        broken("L6", "the lock was reserved for a waiter that is dead: " + decided);
      }
      state.places.remove(after.client());
    }
    checkLetters(decided);
    boolean wasQueued = state.queue.contains(decided.client());
    state.queue = decided.waiters();
    if (decided.reply() instanceof GrantReply.Queued) {
      state.polled.put(decided.client(), at);
      Place place = state.places.get(decided.client());
      long earliest = place != null && place.attempt == decided.attempt() ? place.earliest : at;
      if (earliest == at || !wasQueued) {
        state.places.put(decided.client(), new Place(decided.attempt(), earliest, at));
      }
    } else if (decided.verb() != Verb.RENEW) {
      if (!state.queue.contains(decided.client())) {
        state.polled.remove(decided.client());
        Place place = state.places.get(decided.client());
        if (decided.verb() == Verb.RELEASE && place != null && place.attempt <= decided.attempt()) {
          state.places.remove(decided.client());
        }
      }
    }
  }

  private void checkLetters(Event.Decided decided) {
    if (decided.messages().isEmpty()) {
      return;
    }
    int granted = 0;
    int wanted = 0;
    for (SentMessage message : decided.messages()) {
      if (message.kind() == LockMessage.Kind.TAKEN) {
        continue;
      }
      if (message.kind() == LockMessage.Kind.WANTED) {
        wanted++;
        continue;
      }
      granted++;
      Held after = decided.after();
      if (after == null || !after.client().equals(message.to())) {
        broken("L6", "one was woken who did not get the lock: " + decided);
      }
    }
    if (granted > 1 || wanted > 1) {
      broken("L6", "more than one message of a kind: " + decided);
    }
  }

  private void onFault(Event.Fault fault) {
    switch (fault.kind()) {
      case HEALED -> healedAt = fault.at();
      case DISTURBED -> {
        for (Event.Invoked invoked : List.copyOf(waiting.values())) {
          served(invoked, fault);
        }
        healedAt = Long.MAX_VALUE;
      }
      case GONE -> waiting.values().removeIf(op -> op.client().equals(fault.client()));
      case STEPPED, AMNESIA ->
          names
              .values()
              .forEach(
                  state -> {
                    state.polled.clear();
                    if (fault.kind() == Event.Kind.AMNESIA) {
                      state.places.clear();
                    }
                    state.queue = List.of();
                  });
      case SETTLED -> {
        for (Event.Invoked invoked : waiting.values()) {
          broken("L6", "never ended: " + invoked);
        }
      }
      default -> {}
    }
  }

  private void served(Event.@Nullable Invoked invoked, Event end) {
    if (invoked == null || healedAt == Long.MAX_VALUE) {
      return;
    }
    long from = Math.max(healedAt, invoked.at());
    if (end.at() - from > assumptions.servedWithinNanos()) {
      broken("L6", "waited too long after the last fault: " + invoked + "\n  until: " + end);
    }
  }
}
