package dev.sluice.bench.bloom;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Probes;
import dev.sluice.bench.systems.BloomKind;
import java.util.List;

/** How long others wait for the server while one caller hands over a hundred thousand elements. */
final class AtOnceWorkload implements Workload {
  private static final int ELEMENTS = 100_000;

  @Override
  public String id() {
    return "at-once";
  }

  @Override
  public String title() {
    return "100,000 elements in one call";
  }

  @Override
  public String meaning() {
    return "One call adds 100,000 elements to a new filter, and one asks for all of them. Longest"
        + " command: by the server's slow log; nobody else is served while it lasts. The rate is"
        + " that of elements.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.OPS, Metric.LONGEST);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(Contestant.of(BloomKind.SLUICE), Contestant.of(BloomKind.REDISSON));
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    measure(bench, contestant, 0, pace);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Probes probes = new Probes(bench, contestant.kind());
    String filter = "bench-at-once-" + contestant.label() + "-" + round;
    probes.fill(filter, ELEMENTS, ProbeWorkload.RATE, false);
    long began = System.nanoTime();
    double longest = probes.longestMillis(filter, ELEMENTS);
    double seconds = (System.nanoTime() - began) / 1e9;
    return new Sample().put(Metric.OPS, 2 * ELEMENTS / seconds).put(Metric.LONGEST, longest);
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atMost(
            "100,000 elements in one call: longest command of the server",
            results.of(BloomKind.SLUICE.id(), Metric.LONGEST),
            2,
            " ms"));
  }
}
