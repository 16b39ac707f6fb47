package dev.sluice.verification.history;

import dev.sluice.lock.LeaseState;
import dev.sluice.spi.LockMessage;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history. Times are nanoseconds of one true clock that no participant can read. An
 * operation is one call of acquire and all that follows from it, by number.
 */
public sealed interface Event {

  /** {@return when it happened, nanoseconds} */
  long at();

  /** The end of an acquire without a lease. */
  enum End {
    /** Another client holds the lock. */
    REFUSED,
    /** Unknown: an answer is missing. */
    UNKNOWN,
    /** The store said that it could not. */
    BROKEN,
    /** The caller gave up. */
    CANCELLED,
    /** The client was closed. */
    CLOSED,
    /** Something that must not happen. */
    UNEXPECTED
  }

  /** A verb of the store. */
  enum Verb {
    /** Ask, poll, or take up. */
    ACQUIRE,
    /** Lengthen. */
    RENEW,
    /** End an attempt. */
    RELEASE
  }

  /**
   * A grant as the store sees it.
   *
   * @param client who
   * @param attempt which attempt
   * @param token first token
   * @param lastToken last reserved token
   * @param until when it ends, if the store's clock is not stepped
   */
  record Held(String client, long attempt, long token, long lastToken, long until) {
    boolean isSameGrant(@Nullable Held other) {
      return other != null
          && attempt == other.attempt
          && token == other.token
          && client.equals(other.client);
    }
  }

  /**
   * A message that left the store.
   *
   * @param to client
   * @param kind which
   */
  record SentMessage(String to, LockMessage.Kind kind) {}

  /**
   * A caller asks.
   *
   * @param at when
   * @param op number of the operation
   * @param client process
   * @param name lock
   * @param waitNanos longest wait
   */
  record Invoked(long at, int op, String client, String name, long waitNanos) implements Event {
    @Override
    public String toString() {
      return line(at, client, "acquire " + name + " wait " + waitNanos / 1000 + "us", op);
    }
  }

  /**
   * A caller has a lease in hand.
   *
   * @param at when
   * @param op number of the operation
   * @param client process
   * @param name lock
   * @param token its fencing token; zero where what is looked at has none
   */
  record Acquired(long at, int op, String client, String name, long token) implements Event {
    @Override
    public String toString() {
      return line(at, client, "acquired " + name + " token " + token, op);
    }
  }

  /**
   * A caller has no lease.
   *
   * @param at when
   * @param op number of the operation
   * @param end how it ended
   * @param detail message
   */
  record Ended(long at, int op, End end, String detail) implements Event {
    @Override
    public String toString() {
      return line(at, "", end + " " + detail, op);
    }
  }

  /**
   * The lease says how long it is good for.
   *
   * @param at when it said so first
   * @param op number of the operation
   * @param until its end in true time
   */
  record Deadline(long at, int op, long until) implements Event {
    @Override
    public String toString() {
      return line(at, "", "lease good until " + millis(until), op);
    }
  }

  /**
   * A listener was called.
   *
   * @param at when
   * @param op number of the operation
   * @param state what it was told
   */
  record Told(long at, int op, LeaseState state) implements Event {
    @Override
    public String toString() {
      return line(at, "", "told " + state, op);
    }
  }

  /**
   * A caller gives the lease back.
   *
   * @param at when
   * @param op number of the operation
   */
  record ReleaseCalled(long at, int op) implements Event {
    @Override
    public String toString() {
      return line(at, "", "release", op);
    }
  }

  /**
   * A release answered.
   *
   * @param at when
   * @param op number of the operation
   * @param wasOurs what it said
   */
  record Released(long at, int op, boolean wasOurs) implements Event {
    @Override
    public String toString() {
      return line(at, "", "released, was ours: " + wasOurs, op);
    }
  }

  /**
   * A write reached the guarded resource.
   *
   * @param at when
   * @param op whose lease
   * @param name lock
   * @param token token it carried
   * @param accepted what the guard said
   */
  record Written(long at, int op, String name, long token, boolean accepted) implements Event {
    @Override
    public String toString() {
      return line(at, "guard", (accepted ? "accepts " : "rejects ") + name + " token " + token, op);
    }
  }

  /**
   * A request left a client.
   *
   * @param at when
   * @param client process
   * @param verb which
   * @param name lock
   * @param attempt attempt
   */
  record Sent(long at, String client, Verb verb, String name, long attempt) implements Event {
    @Override
    public String toString() {
      return line(at, client, "sends " + verb + " " + name + " attempt " + attempt, -1);
    }
  }

  /**
   * An answer of the store reached a client.
   *
   * @param at when
   * @param client process
   * @param verb which
   * @param name lock
   */
  record Answered(long at, String client, Verb verb, String name) implements Event {
    @Override
    public String toString() {
      return line(at, client, "has answer to " + verb + " " + name, -1);
    }
  }

  /**
   * One atomic step of the store.
   *
   * @param at when
   * @param verb which
   * @param client who asked
   * @param name lock
   * @param attempt for which attempt
   * @param queues whether it wanted to queue
   * @param reply what the store said
   * @param after the grant after the step, null if free
   * @param waiters clients in the queue after the step, in order
   * @param messages messages that it sent
   */
  record Decided(
      long at,
      Verb verb,
      String client,
      String name,
      long attempt,
      boolean queues,
      Object reply,
      @Nullable Held after,
      List<String> waiters,
      List<SentMessage> messages)
      implements Event {
    @Override
    public String toString() {
      Held holder = after;
      return line(
          at,
          "store",
          verb
              + " "
              + name
              + " of "
              + client
              + "/"
              + attempt
              + ": "
              + reply
              + "; "
              + (holder == null
                  ? "free"
                  : "held by "
                      + holder.client
                      + "/"
                      + holder.attempt
                      + " until "
                      + millis(holder.until))
              + (waiters.isEmpty() ? "" : ", queue " + waiters)
              + (messages.isEmpty() ? "" : ", sends " + messages),
          -1);
    }
  }

  /** A fault that checks must know of. */
  enum Kind {
    /** The client stands still from here. */
    PAUSED,
    /** The client goes on. */
    RESUMED,
    /** The client has ended. */
    GONE,
    /** The store lost its data, or a part. With an amount: all that it had so long ago. */
    AMNESIA,
    /** The store's clock was stepped. */
    STEPPED,
    /** The last fault is over. */
    HEALED,
    /** Faults may strike again. */
    DISTURBED,
    /** Nothing is left to happen. */
    SETTLED
  }

  /**
   * A fault, or its end.
   *
   * @param at when
   * @param kind what
   * @param client whom it hit, or empty
   * @param amount nanoseconds, where it has a size
   */
  record Fault(long at, Kind kind, String client, long amount) implements Event {
    @Override
    public String toString() {
      return line(at, "*", kind + " " + client + (amount == 0 ? "" : " " + millis(amount)), -1);
    }
  }

  /**
   * The remains in a live client and the store when nothing more can happen.
   *
   * @param at when
   * @param client process
   * @param timers timers that it still has
   */
  record Rest(long at, String client, int timers) implements Event {
    @Override
    public String toString() {
      return line(at, client, "at rest with " + timers + " timers", -1);
    }
  }

  /**
   * The remains of a lock at the store.
   *
   * @param at when
   * @param name lock
   * @param holder grant, or null
   * @param waiters queue
   * @param remembered whether it is known after the retention has passed
   */
  record Left(long at, String name, @Nullable Held holder, List<String> waiters, boolean remembered)
      implements Event {
    @Override
    public String toString() {
      return line(
          at,
          "store",
          name
              + " at rest: holder "
              + holder
              + ", queue "
              + waiters
              + (remembered ? ", never forgotten" : ""),
          -1);
    }
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3fms", nanos / 1e6);
  }

  private static String line(long at, String who, String what, int op) {
    return String.format(
        Locale.ROOT, "%12s  %-6s %-5s %s", millis(at), who, op < 0 ? "" : "#" + op, what);
  }
}
