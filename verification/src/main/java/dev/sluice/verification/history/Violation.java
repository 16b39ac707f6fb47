package dev.sluice.verification.history;

/**
 * A broken promise.
 *
 * @param rule which, as docs/guarantees.md numbers them
 * @param text what happened
 * @param event the index of the event that shows it
 */
public record Violation(String rule, String text, int event) {
  @Override
  public String toString() {
    return rule + ": " + text;
  }
}
