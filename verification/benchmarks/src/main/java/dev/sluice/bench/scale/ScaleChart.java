package dev.sluice.bench.scale;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.scale.sim.Prediction;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/** Draws how costs and latencies grow. */
public final class ScaleChart {
  private static final Map<String, String> CLIENTS =
      Map.of(
          ScaleWorkloads.OWN, "own locks",
          ScaleWorkloads.LIMIT, "one hot limit",
          ScaleWorkloads.CLAIMS, "claims of one stock",
          ScaleWorkloads.TOGETHER, "claims, 16 together");

  private static final List<String> ORDER =
      List.of(
          ScaleWorkloads.OWN, ScaleWorkloads.LIMIT, ScaleWorkloads.CLAIMS, ScaleWorkloads.TOGETHER);

  private final List<Section> sections;
  private final Sizes sizes;
  private final Forecast forecast;

  private ScaleChart(List<Section> sections, Sizes sizes, Forecast forecast) {
    this.sections = sections;
    this.sizes = sizes;
    this.forecast = forecast;
  }

  /** {@return the drawing, with what was predicted for the measured sizes} */
  public static String draw(List<Section> sections, Sizes sizes, Forecast forecast) {
    return new ScaleChart(sections, sizes, forecast).draw();
  }

  private String draw() {
    CurveChart chart =
        new CurveChart(
            "How Sluice scales on one Redis",
            "logarithmic axes; dots: medians as measured; dashed: simulated for the same machine");
    chart.panel("Operations per second", "clients");
    for (String id : ORDER) {
      curve(chart, id, label(id), Metric.OPS, sizes.clients(), this::clients);
      chart.dashed(label(id) + ", simulated", simulated(id, outcome -> outcome.rate()));
    }
    chart.panel("Latency, p50 us", "clients");
    for (String id : ORDER) {
      curve(chart, id, label(id), Metric.OP_P50, sizes.clients(), this::clients);
      chart.dashed(label(id) + ", simulated", simulated(id, outcome -> outcome.p50()));
    }
    chart.panel("Server CPU per operation, us", "clients");
    for (String id : ORDER) {
      curve(chart, id, label(id), Metric.SERVER_CPU, sizes.clients(), this::clients);
    }
    curve(
        chart,
        ScaleWorkloads.LEASED,
        "permits in advance",
        Metric.SERVER_CPU,
        sizes.clients(),
        this::clients);
    chart.panel("Hand-over of one hot lock, us", "waiters");
    IntFunction<String> waiters = n -> CrowdWorkload.label(n, "waiter");
    curve(chart, ScaleWorkloads.WAITERS, "p50", Metric.HAND_OVER_P50, sizes.waiters(), waiters);
    chart.dashed("p50, simulated", simulated(ScaleWorkloads.WAITERS, outcome -> outcome.p50()));
    curve(chart, ScaleWorkloads.WAITERS, "p99", Metric.HAND_OVER_P99, sizes.waiters(), waiters);
    chart.dashed("p99, simulated", simulated(ScaleWorkloads.WAITERS, outcome -> outcome.p99()));
    chart.panel("Server CPU per operation, us", "keys at the server");
    keys(chart, Metric.SERVER_CPU);
    chart.panel("Bytes per key", "keys at the server");
    keys(chart, Metric.BYTES_USED);
    chart.panel("CPU of all servers per operation, us", "masters of a cluster");
    IntFunction<String> masters = n -> CrowdWorkload.label(n, "master");
    curve(chart, ScaleWorkloads.MASTERS, "own locks", Metric.SERVER_CPU, sizes.masters(), masters);
    curve(chart, ScaleWorkloads.PAIRS, "hand-overs", Metric.SERVER_CPU, sizes.masters(), masters);
    return chart.toSvg();
  }

  private void keys(CurveChart chart, Metric metric) {
    IntFunction<String> keys = KeysWorkload::label;
    curve(chart, ScaleWorkloads.LOCK_KEYS, "idle locks", metric, sizes.keys(), keys);
    curve(chart, ScaleWorkloads.LIMIT_KEYS, "keys of a limiter", metric, sizes.keys(), keys);
  }

  private String clients(int size) {
    return CrowdWorkload.label(size, "client");
  }

  private static String label(String id) {
    return CLIENTS.getOrDefault(id, id);
  }

  private void curve(
      CurveChart chart,
      String id,
      String label,
      Metric metric,
      List<Integer> all,
      IntFunction<String> row) {
    Map<Double, Double> points = new TreeMap<>();
    for (Section section : sections) {
      if (section.id().equals(id)) {
        for (int size : all) {
          double value = section.results().of(row.apply(size), metric).median();
          points.put((double) size, value);
        }
      }
    }
    chart.curve(label, points);
  }

  private Map<Double, Double> simulated(String id, ToDoubleFunction<Prediction> value) {
    Map<Double, Double> points = new TreeMap<>();
    forecast
        .predicted(id)
        .forEach((size, outcome) -> points.put((double) size, value.applyAsDouble(outcome)));
    return points;
  }
}
