package dev.sluice.verification.torture;

import dev.sluice.verification.history.Assumptions;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.HistoryChecker;
import dev.sluice.verification.history.Violation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Gets the merged history, counts, and hands it to the checker. Safe for use by many threads. */
final class Observer {
  private static final int EVENTS_KEPT = 20_000;
  private static final int MAX_VIOLATIONS = 10_000;
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(3);
  private static final Duration SERVED_WITHIN = Duration.ofSeconds(15);

  private final boolean goesOn;
  private final HistoryChecker checker;
  // all below guarded by this
  private final List<Violation> violations = new ArrayList<>();
  private final Deque<Event> last = new ArrayDeque<>();
  private final Map<String, Long> counts = new TreeMap<>();

  /**
   * Has seen nothing yet.
   *
   * @param goesOn whether to count what comes after the first broken promise
   * @param afterlife how much longer than its lease a dead client may keep a lock
   */
  Observer(boolean goesOn, Duration afterlife) {
    this.goesOn = goesOn;
    this.checker =
        new HistoryChecker(
            new Assumptions(
                true,
                false,
                TOLD_WITHIN.toNanos(),
                CallerLoop.MAX_TTL.toNanos(),
                SERVED_WITHIN.plus(afterlife).toNanos(),
                false));
  }

  synchronized void see(Event event) {
    if (isOver()) {
      return;
    }
    last.add(event);
    if (last.size() > EVENTS_KEPT) {
      last.remove();
    }
    count(event);
    checker
        .look(event)
        .filter(violation -> violations.size() < MAX_VIOLATIONS)
        .ifPresent(violations::add);
  }

  private void count(Event event) {
    if (event instanceof Event.Acquired) {
      count("grants");
    } else if (event instanceof Event.Ended ended) {
      switch (ended.end()) {
        case REFUSED -> count("busy");
        case UNKNOWN -> count("unknown");
        default -> count("failed");
      }
    } else if (event instanceof Event.Told told) {
      if (told.state() == dev.sluice.lock.LeaseState.LOST) {
        count("leases lost");
      }
    }
  }

  private void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** {@return whether there is nothing more to be learnt} */
  synchronized boolean isOver() {
    return !goesOn && !violations.isEmpty();
  }

  synchronized List<Violation> violations() {
    return List.copyOf(violations);
  }

  synchronized List<Event> lastEvents() {
    return List.copyOf(last);
  }

  synchronized Map<String, Long> counts() {
    return new TreeMap<>(counts);
  }
}
