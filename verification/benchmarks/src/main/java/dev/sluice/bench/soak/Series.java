package dev.sluice.bench.soak;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is measured again and again.
 *
 * @param name for the report
 * @param unit of its values, or an empty text for a count
 * @param bound how much is no growth; null where nothing is judged
 * @param values one for each sample of the run, not a number where it was not measured
 */
record Series(String name, String unit, Growth.@Nullable Bound bound, List<Double> values) {

  /** A series that joins a run late, with nothing of what it counts so far. */
  static Series from(String name, String unit, Growth.@Nullable Bound bound, int samples) {
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      values.add(0.0);
    }
    return new Series(name, unit, bound, values);
  }

  /** Only for one that is judged. */
  Growth growth() {
    if (bound == null) {
      throw new IllegalStateException(name + " is not judged");
    }
    return Growth.of(values, bound);
  }

  boolean grows() {
    return bound != null && growth().grows();
  }
}
