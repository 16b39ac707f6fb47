package dev.sluice.flashsale;

import java.util.Set;

/** Nobody sells that way here. */
final class UnknownStrategyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownStrategyException(String strategy, Set<String> known) {
    super("no strategy '" + strategy + "': there are " + String.join(", ", known));
  }
}
