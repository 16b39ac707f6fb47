package dev.sluice.bench.scale;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Spread;
import dev.sluice.bench.scale.sim.Costs;
import dev.sluice.bench.scale.sim.Models;
import dev.sluice.bench.scale.sim.Models.Span;
import dev.sluice.bench.scale.sim.Point;
import dev.sluice.bench.scale.sim.Population;
import dev.sluice.bench.scale.sim.Prediction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/**
 * The simulation, set by some of the measured points and held against the others; then what it says
 * about fleets that no one machine can hold.
 */
public final class Forecast {
  /** How far a prediction may be off, as a factor. */
  static final double RATE_BOUND = 1.35;

  static final double P50_BOUND = 1.5;
  static final double P99_BOUND = 3;

  /** Processes of the fleet that is predicted. */
  public static final int PROCESSES = 10_000;

  private static final int MAX_MASTERS = 100;

  /** One way between machines of one data centre; measured are only costs of the processors. */
  private static final double NETWORK_MICROS = 100;

  private static final double THINK_MICROS = 100_000;
  private static final int TOGETHER = 16;
  private static final double CALLS_OF_LEASED = 200;
  private static final double LOCAL_MICROS = 1;
  private static final int LARGE = 5_000;

  private final Map<String, Section> sections;
  private final Calibration calibration;
  private final IntUnaryOperator threads;
  private final int cores;
  private final int processes;
  private final double share;
  private final Consumer<String> progress;
  private final Map<String, Map<Integer, Prediction>> predicted = new LinkedHashMap<>();

  /**
   * A forecast from measured points.
   *
   * @param measured sections of the run
   * @param threads how many network threads so many clients of the run had
   * @param cores cores that clients and server of the run had
   * @param processes of the fleet that is predicted
   * @param share how much of the usual virtual time is simulated, 0 to 1
   * @param progress receives the progress
   */
  public Forecast(
      List<Section> measured,
      Sizes sizes,
      IntUnaryOperator threads,
      int cores,
      int processes,
      double share,
      Consumer<String> progress) {
    this.sections = measured.stream().collect(Collectors.toMap(Section::id, each -> each));
    this.calibration = new Calibration(sections, sizes);
    this.threads = threads;
    this.cores = cores;
    this.processes = processes;
    this.share = share;
    this.progress = progress;
  }

  /** {@return the two tables, as far as enough was measured for them} */
  public List<Section> sections() {
    List<Section> tables = new ArrayList<>();
    Section validation = validation();
    if (!validation.results().labels().isEmpty()) {
      tables.add(validation);
    }
    Section prediction = prediction();
    if (!prediction.results().labels().isEmpty()) {
      tables.add(prediction);
    }
    return tables;
  }

  /** {@return what was simulated for the measured sizes of a workload} */
  Map<Integer, Prediction> predicted(String workload) {
    return predicted.getOrDefault(workload, Map.of());
  }

  private Span span(int clients) {
    return clients > LARGE ? new Span(2, 2 + 2 * share) : new Span(0.3, 0.5 + 2 * share);
  }

  // ---- held against what was measured ----

  /** {@return what was measured beside what is predicted for the same sizes} */
  Section validation() {
    Results results = new Results();
    List<Goal> goals = new ArrayList<>();
    for (String id : calibration.calibrated()) {
      progress.accept("simulating what was measured: " + id);
      for (Point point : calibration.points(id)) {
        Prediction outcome = same(id, point.size());
        predicted.computeIfAbsent(id, key -> new LinkedHashMap<>()).put(point.size(), outcome);
        if (calibration.isHeldOut(id, point.size())) {
          String at = calibration.title(id) + ", " + calibration.label(id, point.size());
          compare(at + ": rate", point.rate(), outcome.rate(), RATE_BOUND, results, goals);
          compare(at + ": p50 us", point.p50(), outcome.p50(), P50_BOUND, results, goals);
          compare(at + ": p99 us", point.p99(), outcome.p99(), P99_BOUND, results, goals);
        }
      }
    }
    for (Calibration.BusPoint bus : calibration.busHeldOut()) {
      compare(
          "Hand-overs on a cluster, " + bus.label() + ": server CPU us/op",
          bus.measured(),
          bus.predicted(),
          RATE_BOUND,
          results,
          goals);
    }
    return new Section(
        "simulation",
        "The simulation beside what was measured",
        "Costs come from the first and the last but one size of each table; the other sizes are"
            + " predicted, with clients and server on the cores of this machine. Off by: the larger"
            + " of both divided by the smaller. A prediction that is off by more than its bound"
            + " shows as a goal that is not met.",
        "",
        List.of(Metric.MEASURED, Metric.PREDICTED, Metric.OFF_BY),
        false,
        results,
        goals);
  }

  /** The same fleet as in the measurement. */
  private Prediction same(String id, int size) {
    Costs costs = calibration.costs(id);
    if (id.equals(ScaleWorkloads.WAITERS)) {
      return Models.handOver(
          costs, Population.together(size + 1, threads.applyAsInt(size + 1), cores), span(size));
    }
    Population fleet = Population.together(size, threads.applyAsInt(size), cores);
    if (id.equals(ScaleWorkloads.TOGETHER)) {
      Calibration.Each each = calibration.each();
      return Models.batched(costs, TOGETHER, each.server(), each.client(), fleet, span(size));
    }
    return Models.separate(costs, fleet, span(size));
  }

  private static void compare(
      String what,
      double measured,
      double predicted,
      double bound,
      Results results,
      List<Goal> goals) {
    double off = Math.max(measured / predicted, predicted / measured);
    results.add(
        what,
        new Sample()
            .put(Metric.MEASURED, measured)
            .put(Metric.PREDICTED, predicted)
            .put(Metric.OFF_BY, off));
    goals.add(
        Goal.atMost("Simulation, " + what + ", off by", Spread.of(List.of(off)), bound, " x"));
  }

  // ---- what no one machine can hold ----

  /** {@return what is predicted for a large fleet} */
  Section prediction() {
    Results results = new Results();
    String rate = ", 10/s each";
    if (calibration.knows(ScaleWorkloads.OWN)) {
      Costs costs = apart(ScaleWorkloads.OWN);
      for (int masters : new int[] {1, 10, MAX_MASTERS}) {
        String on = masters == 1 ? "1 master" : masters + " masters";
        predict(
            "own locks" + rate + ", " + on,
            Models.separate(costs, Population.apart(processes, masters, THINK_MICROS), usual()),
            results);
      }
    }
    if (calibration.knows(ScaleWorkloads.WAITERS)) {
      predict(
          "one hot lock that all want, any cluster",
          Models.handOver(
              apart(ScaleWorkloads.WAITERS), Population.apart(processes, 1, 0), usual()),
          results);
    }
    if (calibration.knows(ScaleWorkloads.WAITERS) && !calibration.busPoints().isEmpty()) {
      for (int masters : new int[] {10, MAX_MASTERS}) {
        predict(
            "locks of two processes each, 10 hand-overs/s each, " + masters + " masters",
            Models.pairs(
                apart(ScaleWorkloads.WAITERS),
                calibration.busMicros(),
                Population.apart(processes, masters, THINK_MICROS),
                new Span(0.3, 0.3 + share / 2)),
            results);
      }
    }
    if (calibration.knows(ScaleWorkloads.LIMIT)) {
      Costs costs = apart(ScaleWorkloads.LIMIT);
      Population fleet = Population.apart(processes, 1, THINK_MICROS);
      predict(
          "one hot limit" + rate + ", any cluster",
          Models.separate(costs, fleet, usual()),
          results);
      double lasts = calibration.leaseMicros(CALLS_OF_LEASED);
      if (lasts > 0) {
        predict(
            "one hot limit, permits in advance" + rate + ", any cluster",
            Models.leased(costs, lasts, LOCAL_MICROS, fleet, usual()),
            results);
        predict(
            "one hot limit, permits in advance, 100/s each, any cluster",
            Models.leased(
                costs,
                lasts,
                LOCAL_MICROS,
                Population.apart(processes, 1, THINK_MICROS / 10),
                new Span(1.5, 0.5 + share)),
            results);
      }
    }
    if (calibration.knows(ScaleWorkloads.CLAIMS)) {
      predict(
          "one stock, claims one by one" + rate + ", any cluster",
          Models.separate(
              apart(ScaleWorkloads.CLAIMS), Population.apart(processes, 1, THINK_MICROS), usual()),
          results);
    }
    if (calibration.knows(ScaleWorkloads.TOGETHER)) {
      Calibration.Each each = calibration.each();
      predict(
          "one stock, a hundredth of them, 16 callers each without rest, any cluster",
          Models.batched(
              apart(ScaleWorkloads.TOGETHER),
              TOGETHER,
              each.server(),
              each.client(),
              Population.apart(Math.max(1, processes / 100), 1, 0),
              usual()),
          results);
    }
    return new Section(
        "forecast",
        String.format("A forecast: %,d processes and up to %d masters", processes, MAX_MASTERS),
        "Simulated, not measured: each process and each server has a machine with idle cores like"
            + " one of this machine's, and messages take "
            + Math.round(NETWORK_MICROS)
            + " us one way. \"Any cluster\": one key lives on one master, however many there are."
            + " Latencies of the hot lock are hand-overs.",
        "",
        List.of(Metric.OPS, Metric.OP_P50, Metric.OP_P99, Metric.UTILISATION),
        false,
        results,
        List.of());
  }

  private Span usual() {
    return new Span(0.5 + share, 0.5 + share);
  }

  private Costs apart(String id) {
    return calibration.costs(id).over(NETWORK_MICROS);
  }

  private void predict(String what, Prediction outcome, Results results) {
    progress.accept("simulated: " + what);
    results.add(
        what,
        new Sample()
            .put(Metric.OPS, outcome.rate())
            .put(Metric.OP_P50, outcome.p50())
            .put(Metric.OP_P99, outcome.p99())
            .put(Metric.UTILISATION, 100 * outcome.utilisation()));
  }
}
