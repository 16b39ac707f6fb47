package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/** All rounds of one workload, by the label of the row, in the order of the table. */
public final class Results {
  private final Map<String, List<Sample>> samples = new LinkedHashMap<>();

  /** Adds a row without rounds, so that tables keep this order whichever runs first. */
  public void announce(String label) {
    samples.putIfAbsent(label, new ArrayList<>());
  }

  /** Adds the next round of a row. */
  public void add(String label, Sample sample) {
    samples.computeIfAbsent(label, key -> new ArrayList<>()).add(sample);
  }

  public List<String> labels() {
    return List.copyOf(samples.keySet());
  }

  public List<Sample> rounds(String label) {
    return List.copyOf(samples.getOrDefault(label, List.of()));
  }

  public Spread of(String label, Metric metric) {
    return Spread.of(rounds(label).stream().map(sample -> sample.get(metric)).toList());
  }

  /**
   * How many times the other's number: compared within each round, since the machine may be slower
   * in one round than in the next.
   */
  public Spread ratio(String label, String other, Metric metric) {
    return ratio(label, metric, other, metric);
  }

  /** The same, of different metrics. */
  public Spread ratio(String label, Metric metric, String other, Metric otherMetric) {
    return compare(label, metric, other, otherMetric, (ours, theirs) -> ours / theirs);
  }

  /** How much more than the other's number, compared within each round. */
  public Spread difference(String label, String other, Metric metric) {
    return compare(label, metric, other, metric, (ours, theirs) -> ours - theirs);
  }

  private Spread compare(
      String label,
      Metric metric,
      String other,
      Metric otherMetric,
      DoubleBinaryOperator comparison) {
    List<Sample> ours = rounds(label);
    List<Sample> theirs = rounds(other);
    List<Double> compared = new ArrayList<>();
    for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
      compared.add(
          comparison.applyAsDouble(ours.get(i).get(metric), theirs.get(i).get(otherMetric)));
    }
    return Spread.of(compared);
  }
}
