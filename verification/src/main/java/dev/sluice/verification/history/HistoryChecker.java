package dev.sluice.verification.history;

import java.util.List;
import java.util.Optional;

/**
 * Holds a history against promises L1 to L8. One pass, no search; a history that is still growing
 * is looked at event by event. Not thread-safe.
 */
public final class HistoryChecker {
  private final List<Rule> rules;
  private int events;

  /**
   * Has seen nothing yet.
   *
   * @param assumptions what the run may be held to
   */
  public HistoryChecker(Assumptions assumptions) {
    this.rules =
        List.of(
            new LeaseClaims(assumptions),
            new Tokens(assumptions),
            new Grants(assumptions),
            new Turns(assumptions),
            new Outcomes(assumptions));
  }

  /**
   * Looks at the next event.
   *
   * @param event not earlier than the last one
   * @return the first promise that it breaks, or empty
   */
  public Optional<Violation> look(Event event) {
    Violation first = null;
    for (Rule rule : rules) {
      Violation violation = rule.look(event, events);
      first = first == null ? violation : first;
    }
    events++;
    return Optional.ofNullable(first);
  }

  /**
   * Checks a history.
   *
   * @param events what happened, oldest first
   * @param assumptions what the run may be held to
   * @return the first broken promise, or empty
   */
  public static Optional<Violation> check(List<Event> events, Assumptions assumptions) {
    HistoryChecker checker = new HistoryChecker(assumptions);
    return events.stream().map(checker::look).flatMap(Optional::stream).findFirst();
  }
}
