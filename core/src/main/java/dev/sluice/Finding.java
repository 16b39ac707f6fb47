package dev.sluice;

import static java.util.Objects.requireNonNull;

/**
 * One thing that is not as it should be at a store, or that an operator should know.
 *
 * @param severity how much it matters
 * @param id what it is, in a word that stays the same: "eviction-policy"
 * @param where the store or the server, without secrets
 * @param what what was found, with its numbers
 * @param risk what can go wrong
 * @param fix the line that mends it: a command, a setting
 * @since 0.1
 */
public record Finding(
    Severity severity, String id, String where, String what, String risk, String fix) {

  /** The severity of a finding. */
  public enum Severity {
    /** Good to know; nothing is at risk. */
    INFO,
    /** A promise is weaker than it could be, or will be under some fault. */
    WARNING,
    /** A promise is broken, or calls are refused. */
    ERROR
  }

  /** Checks that nothing is missing. */
  public Finding {
    requireNonNull(severity, "severity must not be null");
    requireNonNull(id, "id must not be null");
    requireNonNull(where, "where must not be null");
    requireNonNull(what, "what must not be null");
    requireNonNull(risk, "risk must not be null");
    requireNonNull(fix, "fix must not be null");
  }

  /** {@return one line for a log: severity, id, place, what was found} */
  @Override
  public String toString() {
    return severity + " " + id + ": " + where + ": " + what;
  }
}
