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
import dev.sluice.bench.run.Task;
import dev.sluice.bench.systems.BloomKind;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Callers of one process that ask a full filter again and again, or add to it.
 *
 * @param callers threads, or calls in flight
 * @param async whether callers are calls in flight
 */
record ProbeWorkload(
    String id,
    String title,
    String meaning,
    Task task,
    int callers,
    boolean async,
    Function<Results, List<Goal>> wanted)
    implements Workload {
  /** Seven bits for each. */
  static final int SIZE = 200_000;

  static final double RATE = 0.01;

  @Override
  public String floor() {
    return BloomKind.RAW.id();
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.OPS,
        Metric.OP_P50,
        Metric.OP_P99,
        Metric.SENT,
        Metric.EXECUTED,
        Metric.FAILED,
        Metric.CLIENT_CPU,
        Metric.SERVER_CPU,
        Metric.COMMAND_CPU);
  }

  @Override
  public boolean charted() {
    return true;
  }

  @Override
  public List<Contestant> contestants() {
    return Stream.of(BloomKind.values()).map(Contestant::of).toList();
  }

  @Override
  public boolean once() {
    return false;
  }

  /** One for all workloads: filling it takes longer than measuring. */
  private static String filter(Contestant contestant) {
    return "bench-full-" + contestant.label();
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    Probes probes = new Probes(bench, contestant.kind());
    probes.fill(filter(contestant), SIZE, RATE, true);
    run(probes, contestant, pace.warmUp(), Duration.ZERO, false);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Probes probes = new Probes(bench, contestant.kind());
    return run(probes, contestant, pace.leadIn(), pace.window(), round == 1);
  }

  private Sample run(
      Probes probes, Contestant contestant, Duration leadIn, Duration window, boolean census)
      throws Exception {
    return probes.run(filter(contestant), task, SIZE, callers, async, leadIn, window, census);
  }

  @Override
  public List<Goal> goals(Results results) {
    return wanted.apply(results);
  }
}
