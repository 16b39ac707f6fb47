package dev.sluice.verification.history;

import dev.sluice.lock.LeaseState;
import dev.sluice.spi.GrantReply;
import dev.sluice.verification.history.Event.Held;
import dev.sluice.verification.history.Event.Verb;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** L7 and L8: refusals are true, no grant remains. */
final class Outcomes extends Rule {
  /** Rates of simulated clocks differ by less than this share. */
  private static final double SLOWEST = 0.8;

  /** One process and one name. */
  private static final class Room {
    final Set<Integer> inside = new HashSet<>();
    long answeredAt = Long.MIN_VALUE;
    long enteredAt = Long.MIN_VALUE;

    /** Until then a lease may be on its way back that came for a caller who gave up. */
    long returningUntil = Long.MIN_VALUE;
  }

  private record Call(Event.Invoked invoked, Room room, boolean hadCompany) {}

  private record Key(String client, String name) {}

  private final Map<Key, Room> rooms = new HashMap<>();
  private final Map<Integer, Call> calls = new HashMap<>();
  private final Map<Key, Long> released = new HashMap<>();

  /**
   * Tries that were told busy. They leave no tombstone, which would cost a write for each refusal;
   * so a request that the network repeats after its answer may take a lock without a holder, until
   * the TTL.
   */
  private final Map<Key, Long> refusedTries = new HashMap<>();

  private final Set<String> atRest = new HashSet<>();
  private boolean amnesia;

  Outcomes(Assumptions assumptions) {
    super(assumptions);
  }

  @Override
  void on(Event event) {
    if (event instanceof Event.Invoked invoked) {
      Room room = room(invoked.client(), invoked.name());
      calls.put(invoked.op(), new Call(invoked, room, !room.inside.isEmpty()));
      room.inside.add(invoked.op());
      room.enteredAt = invoked.at();
    } else if (event instanceof Event.Answered answered) {
      room(answered.client(), answered.name()).answeredAt = answered.at();
    } else if (event instanceof Event.Ended ended) {
      onEnded(ended);
    } else if (event instanceof Event.ReleaseCalled called) {
      leave(called.op());
    } else if (event instanceof Event.Told told) {
      if (told.state() == LeaseState.LOST || told.state() == LeaseState.RELEASED) {
        leave(told.op());
      }
    } else if (event instanceof Event.Decided decided) {
      if (decided.reply() instanceof GrantReply.Busy) {
        refusedTries.put(new Key(decided.client(), decided.name()), decided.attempt());
      }
      // a later attempt ends the earlier ones, as a release does
      boolean ends = decided.verb() == Verb.RELEASE;
      long over = ends ? decided.attempt() : decided.attempt() - 1;
      released.merge(new Key(decided.client(), decided.name()), over, Math::max);
    } else if (event instanceof Event.Fault fault && fault.kind() == Event.Kind.AMNESIA) {
      amnesia = true;
    } else if (event instanceof Event.Fault fault && fault.kind() == Event.Kind.RESUMED) {
      rooms.forEach(
          (key, room) -> {
            if (key.client.equals(fault.client())) {
              room.returningUntil = fault.at() + assumptions.toldWithinNanos();
            }
          });
    } else if (event instanceof Event.Rest rest) {
      atRest.add(rest.client());
      if (rest.timers() != 0) {
        broken("L8", "timers are left: " + rest);
      }
    } else if (event instanceof Event.Left left) {
      onLeft(left);
    }
  }

  private Room room(String client, String name) {
    return rooms.computeIfAbsent(new Key(client, name), k -> new Room());
  }

  private void leave(int op) {
    Call call = calls.remove(op);
    if (call != null) {
      call.room.inside.remove(op);
    }
  }

  private void onEnded(Event.Ended ended) {
    Call call = calls.get(ended.op());
    leave(ended.op());
    if (ended.end() == Event.End.UNEXPECTED) {
      broken("L7", "an unexpected failure: " + ended);
    }
    if (call != null && ended.end() == Event.End.CANCELLED) {
      call.room.returningUntil = ended.at() + assumptions.toldWithinNanos();
    }
    if (call == null || ended.end() != Event.End.REFUSED) {
      return;
    }
    long at = call.invoked.at();
    long wait = call.invoked.waitNanos();
    if (ended.at() - at < (long) (wait * SLOWEST)) {
      broken("L7", "refused before its wait was over: " + call.invoked + "\n  " + ended);
    }
    Room room = call.room;
    boolean alone = !call.hadCompany && room.enteredAt <= at && room.returningUntil < at;
    if (assumptions.everythingSeen() && alone && room.answeredAt < at) {
      broken("L7", "refused without an answer from the store: " + call.invoked + "\n  " + ended);
    }
  }

  private void onLeft(Event.Left left) {
    Held holder = left.holder();
    boolean stranded =
        holder != null && holder.until() - left.at() > assumptions.longestLeaseNanos();
    if (holder != null
        && !stranded
        && atRest.contains(holder.client())
        && assumptions.requestsAreOnTime()) {
      long over = released.getOrDefault(new Key(holder.client(), left.name()), Long.MIN_VALUE);
      boolean repeatedTry =
          refusedTries.getOrDefault(new Key(holder.client(), left.name()), Long.MIN_VALUE)
              == holder.attempt();
      if ((!amnesia || holder.attempt() > over) && !repeatedTry) {
        broken("L7", "an orphan holds the lock: " + left);
      }
    }
    for (String waiter : left.waiters()) {
      if (atRest.contains(waiter)) {
        broken("L7", "an orphan stands in the queue: " + left);
      }
    }
    if (left.remembered()) {
      broken("L8", "the store never forgets: " + left);
    }
  }
}
