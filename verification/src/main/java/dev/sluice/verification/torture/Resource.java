package dev.sluice.verification.torture;

import dev.sluice.verification.history.Event;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The resource that the locks protect: a number for each name, behind a guard that refuses a token
 * lower than one it has seen, and a token of another holder that it has seen. Read, add one, write:
 * a client that writes in between makes an update disappear. Safe for use by many threads; its
 * accesses happen one after the other.
 */
final class Resource {
  private static final class Cell {
    long token;
    int op;
    long value;
  }

  private final Consumer<LongFunction<Event>> events;
  private final Map<String, Cell> cells = new HashMap<>(); // guarded by this
  private long updates; // guarded by this
  private long lost; // guarded by this
  private long refused; // guarded by this

  Resource(Consumer<LongFunction<Event>> events) {
    this.events = events;
  }

  /**
   * One access.
   *
   * @param request {@code READ op name token} or {@code WRITE op name token value-that-was-read}
   * @return {@code OK value} or {@code STALE token}
   */
  synchronized String access(String request) {
    String[] words = request.split(" ");
    int op = Integer.parseInt(words[1]);
    String name = words[2];
    long token = Long.parseLong(words[3]);
    Cell cell = cells.computeIfAbsent(name, n -> new Cell());
    boolean guarded = token != 0;
    boolean stale = token < cell.token || (token == cell.token && op != cell.op);
    if (guarded) {
      events.accept(at -> new Event.Written(at, op, name, token, !stale));
      if (stale) {
        refused++;
        return "STALE " + cell.token;
      }
      cell.token = token;
      cell.op = op;
    }
    if (words[0].equals("READ")) {
      return "OK " + cell.value;
    }
    if (cell.value != Long.parseLong(words[4])) {
      lost++; // another client wrote between this read and this write, and its update is lost
    }
    cell.value = Long.parseLong(words[4]) + 1;
    updates++;
    return "OK " + cell.value;
  }

  /** {@return how many writes were let in} */
  synchronized long updates() {
    return updates;
  }

  /** {@return how many of them wiped out another} */
  synchronized long lost() {
    return lost;
  }

  /** {@return how many accesses the guard refused} */
  synchronized long refused() {
    return refused;
  }
}
