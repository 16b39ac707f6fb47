package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/** All rounds of one workload, by contestant, in the order of the table. */
public final class Results {
  private final Map<String, List<Sample>> samples = new LinkedHashMap<>();

  /** Names a contestant, so that tables keep this order whoever runs first. */
  public void announce(String contestant) {
    samples.putIfAbsent(contestant, new ArrayList<>());
  }

  /** Adds the next round of a contestant. */
  public void add(String contestant, Sample sample) {
    samples.computeIfAbsent(contestant, key -> new ArrayList<>()).add(sample);
  }

  public List<String> contestants() {
    return List.copyOf(samples.keySet());
  }

  public List<Sample> rounds(String contestant) {
    return List.copyOf(samples.getOrDefault(contestant, List.of()));
  }

  public Spread of(String contestant, Metric metric) {
    return Spread.of(rounds(contestant).stream().map(sample -> sample.get(metric)).toList());
  }

  /**
   * How many times the other's number: compared within each round, since the machine may be slower
   * in one round than in the next.
   */
  public Spread ratio(String contestant, String other, Metric metric) {
    return ratio(contestant, metric, other, metric);
  }

  /** The same, of different metrics. */
  public Spread ratio(String contestant, Metric metric, String other, Metric otherMetric) {
    return compare(contestant, metric, other, otherMetric, (ours, theirs) -> ours / theirs);
  }

  /** How much more than the other's number, compared within each round. */
  public Spread difference(String contestant, String other, Metric metric) {
    return compare(contestant, metric, other, metric, (ours, theirs) -> ours - theirs);
  }

  private Spread compare(
      String contestant,
      Metric metric,
      String other,
      Metric otherMetric,
      DoubleBinaryOperator comparison) {
    List<Sample> ours = rounds(contestant);
    List<Sample> theirs = rounds(other);
    List<Double> compared = new ArrayList<>();
    for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
      compared.add(
          comparison.applyAsDouble(ours.get(i).get(metric), theirs.get(i).get(otherMetric)));
    }
    return Spread.of(compared);
  }
}
