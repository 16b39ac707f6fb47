package dev.sluice.bench.report;

import java.util.Map;

/**
 * Where and how a run was made.
 *
 * @param heading name of the report
 * @param entries fact by name, in the order of the report
 */
public record Facts(String heading, Map<String, String> entries) {}
