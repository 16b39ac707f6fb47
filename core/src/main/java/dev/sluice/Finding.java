package dev.sluice;

import static java.util.Objects.requireNonNull;

/**
 * A problem of a store, or a fact that an operator should know.
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
    /** Information; nothing is at risk. */
    INFO,
    /** A guarantee is weaker than it could be, or will be under a fault. */
    WARNING,
    /** A guarantee is broken, or calls are refused. */
    ERROR
  }

  /** Checks that no part is missing. */
  public Finding {
    requireNonNull(severity, "severity must not be null");
    requireNonNull(id, "id must not be null");
    requireNonNull(where, "where must not be null");
    requireNonNull(what, "what must not be null");
    requireNonNull(risk, "risk must not be null");
    requireNonNull(fix, "fix must not be null");
  }

  /** {@return one line for a log: severity, id, address, finding} */
  @Override
  public String toString() {
    return severity + " " + id + ": " + where + ": " + what;
  }
}
