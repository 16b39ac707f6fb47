package dev.sluice.guard;

import dev.sluice.text.Names;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The decision that all guards share: compares a token with the highest one, and counts the
 * results. For those who write a guard; safe for use by many threads.
 *
 * @since 0.1
 */
public final class GuardRule {
  private final LongAdder admitted = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /** The statistics before any decision. */
  public GuardRule() {}

  /**
   * Decides whether an access may raise the highest token to its own.
   *
   * @param resource what is accessed
   * @param token the token that is shown
   * @param highest the highest one so far, null if there was none
   * @throws StaleTokenException if it may not
   */
  public void advance(String resource, FencingToken token, @Nullable FencingToken highest) {
    if (highest != null && !highest.admits(token)) {
      throw refuse(resource, token, highest);
    }
    admit();
  }

  /**
   * Decides on an access of a section that has raised the guard before.
   *
   * @param resource what is accessed
   * @param token the token that is shown
   * @param highest the highest one so far, null if there was none
   * @throws StaleTokenException if the guard has seen a higher token
   * @throws IllegalStateException if this section has not raised the guard
   */
  public void check(String resource, FencingToken token, @Nullable FencingToken highest) {
    if (highest == null || highest.value() < token.value()) {
      throw new IllegalStateException(
          "resource "
              + Names.quoted(resource)
              + " was not advanced to token "
              + token.value()
              + ": the first access of a section, read or write, must raise the guard");
    }
    advance(resource, token, highest);
  }

  /** Counts an access that the store admitted. */
  public void admit() {
    admitted.increment();
  }

  /**
   * Counts a refusal.
   *
   * @param resource what is accessed
   * @param token the token that is shown
   * @param highest the highest one so far
   * @return what to throw
   */
  public StaleTokenException refuse(String resource, FencingToken token, FencingToken highest) {
    refused.increment();
    return new StaleTokenException(resource, token, highest);
  }

  /** {@return the decisions so far} */
  public GuardStats stats() {
    return new GuardStats(admitted.sum(), refused.sum());
  }
}
