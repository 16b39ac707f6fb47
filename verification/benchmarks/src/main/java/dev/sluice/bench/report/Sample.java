package dev.sluice.bench.report;

import java.util.EnumMap;
import java.util.Map;

/** The numbers of one system in one round. What was not measured is not a number. */
public final class Sample {
  private final EnumMap<Metric, Double> values = new EnumMap<>(Metric.class);

  public Sample put(Metric metric, double value) {
    values.put(metric, value);
    return this;
  }

  public double get(Metric metric) {
    return values.getOrDefault(metric, Double.NaN);
  }

  public Map<Metric, Double> values() {
    return Map.copyOf(values);
  }
}
