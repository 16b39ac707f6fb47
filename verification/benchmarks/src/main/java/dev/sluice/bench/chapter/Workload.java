package dev.sluice.bench.chapter;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import java.util.List;

/** Something that every system does in turn, and what we promised about it. */
public interface Workload {
  /** Short name, as {@code --only} takes it. */
  String id();

  String title();

  /** What is measured, in a sentence or two. */
  String meaning();

  /** Label of the contestant that the others are compared with, or empty. */
  default String floor() {
    return "";
  }

  List<Metric> columns();

  /** Whether its rate belongs on the chart. */
  default boolean charted() {
    return false;
  }

  List<Contestant> contestants();

  /** Whether one round says it all. */
  default boolean once() {
    return true;
  }

  /** Lets a contestant get warm. */
  default void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {}

  /** Takes one measurement. */
  Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception;

  /** Looks again at the end of the run. */
  default void finish(Bench bench, Results results, Pace pace) throws Exception {}

  List<Goal> goals(Results results);
}
