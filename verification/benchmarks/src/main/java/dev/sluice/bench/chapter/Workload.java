package dev.sluice.bench.chapter;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import java.util.List;

/** The task that every candidate executes in turn, and the goals for it. */
public interface Workload {
  /** Short name, as {@code --only} takes it. */
  String id();

  String title();

  /** What is measured, in a sentence or two. */
  String meaning();

  /** Label of the row that the others are compared with, or empty. */
  default String floor() {
    return "";
  }

  List<Metric> columns();

  /** Whether its rate belongs on the chart. */
  default boolean charted() {
    return false;
  }

  List<Row> rows();

  /** Whether one round says it all. */
  default boolean once() {
    return true;
  }

  /** Lets a candidate compile its code. */
  default void warmUp(Bench bench, Row row, RunPlan plan) throws Exception {}

  /** Takes one measurement. */
  Sample measure(Bench bench, Row row, int round, RunPlan plan) throws Exception;

  /** Looks again at the end of the run. */
  default void finish(Bench bench, Results results, RunPlan plan) throws Exception {}

  List<Goal> goals(Results results);
}
