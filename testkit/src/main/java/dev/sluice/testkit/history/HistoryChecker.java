package dev.sluice.testkit.history;

import java.util.List;
import java.util.Optional;

/** Holds a history against promises L1 to L8. One pass, no search. */
public final class HistoryChecker {
  private HistoryChecker() {}

  /**
   * Checks a history.
   *
   * @param events what happened, oldest first
   * @param assumptions what the run may be held to
   * @return the first broken promise, or empty
   */
  public static Optional<Violation> check(List<Event> events, Assumptions assumptions) {
    List<Rule> rules =
        List.of(
            new Beliefs(assumptions),
            new Tokens(assumptions),
            new Grants(assumptions),
            new Turns(assumptions),
            new Outcomes(assumptions));
    for (int i = 0; i < events.size(); i++) {
      Event event = events.get(i);
      for (Rule rule : rules) {
        Violation violation = rule.look(event, i);
        if (violation != null) {
          return Optional.of(violation);
        }
      }
    }
    return Optional.empty();
  }
}
