package dev.sluice.bench.chapter;

import dev.sluice.bench.systems.Candidate;

/**
 * One row of a workload's table.
 *
 * @param label what the row is called
 * @param candidate whose numbers it has
 */
public record Row(String label, Candidate candidate) {}
