package dev.sluice.verification.history;

import org.jspecify.annotations.Nullable;

/** Some promises, looked at event by event. */
abstract class Rule {
  final Assumptions assumptions;

  /** Until then an entry may have ended early, in any run. */
  private long shakenUntil = Long.MIN_VALUE;

  private int event;
  private @Nullable Violation violation;

  Rule(Assumptions assumptions) {
    this.assumptions = assumptions;
  }

  /** Looks at the next event. */
  abstract void on(Event event);

  final @Nullable Violation look(Event event, int index) {
    this.event = index;
    violation = null;
    if (event instanceof Event.Fault fault
        && (fault.kind() == Event.Kind.AMNESIA
            || (fault.kind() == Event.Kind.STEPPED && fault.amount() > 0))) {
      shakenUntil = Math.max(shakenUntil, fault.at() + assumptions.longestLeaseNanos());
    }
    on(event);
    return violation;
  }

  /** Whether every lease in use now was granted by a store that keeps its data and its time. */
  final boolean isCalm(long at) {
    return assumptions.clocksBehave() && at >= shakenUntil;
  }

  final void broken(String promise, String text) {
    if (violation == null) {
      violation = new Violation(promise, text, event);
    }
  }
}
