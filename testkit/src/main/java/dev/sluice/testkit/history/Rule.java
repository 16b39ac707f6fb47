package dev.sluice.testkit.history;

import org.jspecify.annotations.Nullable;

/** Some promises, looked at event by event. */
abstract class Rule {
  final Assumptions assumptions;
  private int event;
  private @Nullable Violation violation;

  Rule(Assumptions assumptions) {
    this.assumptions = assumptions;
  }

  /** Looks at the next event. */
  abstract void on(Event event);

  final @Nullable Violation look(Event event, int index) {
    this.event = index;
    on(event);
    return violation;
  }

  final void broken(String promise, String text) {
    if (violation == null) {
      violation = new Violation(promise, text, event);
    }
  }
}
