package dev.sluice.bench.report;

import java.util.Map;

/**
 * The circumstances of a run.
 *
 * @param heading name of the report
 * @param extent how much was measured: only runs of the same extent are held against each other
 * @param entries fact by name, in the order of the report
 */
public record Facts(String heading, String extent, Map<String, String> entries) {
  /** The extent of a run of which something was left out on demand. */
  public static final String PART = "part";

  /** Facts of a run that is never compared. */
  public Facts(String heading, Map<String, String> entries) {
    this(heading, PART, entries);
  }
}
