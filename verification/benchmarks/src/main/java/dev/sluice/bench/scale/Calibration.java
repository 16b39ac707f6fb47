package dev.sluice.bench.scale;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.scale.sim.Costs;
import dev.sluice.bench.scale.sim.Point;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Estimates the costs of commands from two sizes of each table: the smallest, and the last but one.
 */
final class Calibration {
  private final Map<String, Section> sections;
  private final Sizes sizes;

  /** The cost of each further claim of a batch; microseconds. */
  record Each(double server, double client) {}

  /** The cost of a hand-over for all masters of a cluster; microseconds. */
  record BusPoint(String label, double measured, double predicted) {}

  Calibration(Map<String, Section> sections, Sizes sizes) {
    this.sections = sections;
    this.sizes = sizes;
  }

  /** {@return workloads whose measured points suffice, in the order of the report} */
  List<String> calibrated() {
    return Stream.of(
            ScaleWorkloads.OWN,
            ScaleWorkloads.LIMIT,
            ScaleWorkloads.CLAIMS,
            ScaleWorkloads.TOGETHER,
            ScaleWorkloads.WAITERS)
        .filter(this::knows)
        .toList();
  }

  boolean knows(String id) {
    return sections.containsKey(id)
        && sizes(id).size() >= 2
        && (!id.equals(ScaleWorkloads.TOGETHER) || knows(ScaleWorkloads.CLAIMS));
  }

  private List<Integer> sizes(String id) {
    return switch (id) {
      case ScaleWorkloads.WAITERS -> sizes.waiters();
      case ScaleWorkloads.PAIRS -> sizes.masters();
      default -> sizes.clients();
    };
  }

  String title(String id) {
    return section(id).title().replaceAll(", as .*", "");
  }

  String label(String id, int size) {
    String unit =
        switch (id) {
          case ScaleWorkloads.WAITERS -> "waiter";
          case ScaleWorkloads.PAIRS -> "master";
          default -> "client";
        };
    return CrowdWorkload.label(size, unit);
  }

  private Section section(String id) {
    Section section = sections.get(id);
    if (section == null) {
      throw new IllegalArgumentException(id + " was not measured");
    }
    return section;
  }

  List<Point> points(String id) {
    return sizes(id).stream().map(size -> point(id, size)).toList();
  }

  private Point point(String id, int size) {
    Results results = section(id).results();
    String label = label(id, size);
    boolean waits = id.equals(ScaleWorkloads.WAITERS);
    return new Point(
        size,
        results.of(label, Metric.OPS).median(),
        results.of(label, waits ? Metric.HAND_OVER_P50 : Metric.OP_P50).median(),
        results.of(label, waits ? Metric.HAND_OVER_P99 : Metric.OP_P99).median(),
        results.of(label, Metric.SENT).median(),
        results.of(label, Metric.SERVER_CPU).median(),
        results.of(label, Metric.CLIENT_CPU).median());
  }

  private Point alone(String id) {
    return point(id, sizes(id).get(0));
  }

  private Point busy(String id) {
    List<Integer> all = sizes(id);
    return point(id, all.get(all.size() - 2 == 0 ? 1 : all.size() - 2));
  }

  boolean isHeldOut(String id, int size) {
    return size != alone(id).size() && size != busy(id).size();
  }

  Costs costs(String id) {
    if (id.equals(ScaleWorkloads.TOGETHER)) {
      return costs(ScaleWorkloads.CLAIMS);
    }
    Point alone = alone(id);
    if (id.equals(ScaleWorkloads.WAITERS)) {
      // release, message, poll and its answer; of the three commands two are waited for
      return Costs.between(alone, busy(id), 4, 2);
    }
    double commands = Math.max(1, Math.rint(alone.sent()));
    return Costs.between(alone, busy(id), 2 * commands, commands);
  }

  /** From the same stock with and without batches. */
  Each each() {
    Costs one = costs(ScaleWorkloads.CLAIMS);
    Point together = busy(ScaleWorkloads.TOGETHER);
    double claims = 1 / together.sent();
    double more = Math.max(1e-9, claims - 1);
    return new Each(
        Math.max(0, (together.serverCpu() * claims - one.server()) / more),
        Math.max(0, (together.clientCpu() * claims - one.client()) / more));
  }

  /**
   * {@return how long permits taken in advance last; 0 where that was not measured}
   *
   * @param callsPerSecond of each client when it was measured
   */
  double leaseMicros(double callsPerSecond) {
    if (!knows(ScaleWorkloads.LEASED)) {
      return 0;
    }
    return 1e6 / (callsPerSecond * busy(ScaleWorkloads.LEASED).sent());
  }

  /** {@return hand-overs on clusters, as measured; empty where there are not two of them} */
  List<Point> busPoints() {
    return knows(ScaleWorkloads.PAIRS) ? points(ScaleWorkloads.PAIRS) : List.of();
  }

  /** {@return what a message costs a master that only forwards it} */
  double busMicros() {
    List<Point> all = busPoints();
    Point first = all.get(0);
    Point last = all.get(all.size() - 1);
    String label = label(ScaleWorkloads.PAIRS, last.size());
    double messages = section(ScaleWorkloads.PAIRS).results().of(label, Metric.PUBLISHED).median();
    return Math.max(
        0,
        (last.serverCpu() - first.serverCpu())
            / (last.size() - first.size())
            / Math.max(1e-9, messages));
  }

  /** {@return the clusters between the least and the greatest} */
  List<BusPoint> busHeldOut() {
    List<Point> all = busPoints();
    if (all.size() < 3) {
      return List.of();
    }
    Point first = all.get(0);
    Point last = all.get(all.size() - 1);
    double slope = (last.serverCpu() - first.serverCpu()) / (last.size() - first.size());
    return all.subList(1, all.size() - 1).stream()
        .map(
            point ->
                new BusPoint(
                    label(ScaleWorkloads.PAIRS, point.size()),
                    point.serverCpu(),
                    first.serverCpu() + slope * (point.size() - first.size())))
        .toList();
  }
}
