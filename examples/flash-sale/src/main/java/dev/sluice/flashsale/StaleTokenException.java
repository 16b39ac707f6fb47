package dev.sluice.flashsale;

/** The stock row has been changed under a newer token than the writer's. */
final class StaleTokenException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StaleTokenException(long token, long seen) {
    super("token %d is too old: the stock row has seen %d".formatted(token, seen));
  }
}
