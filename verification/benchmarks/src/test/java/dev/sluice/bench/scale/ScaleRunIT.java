package dev.sluice.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every workload once, at the smallest sizes, on real servers. No number is judged. */
class ScaleRunIT {
  private static final Sizes FEW =
      new Sizes(List.of(1, 4), List.of(1, 4), List.of(100, 20_000), 4, List.of(1), "");

  @Test
  void everyWorkloadRunsAndIsForecast() throws Exception {
    List<Section> sections;
    try (Bench bench = Tiny.bench()) {
      sections =
          new Chapter(
                  bench,
                  Tiny.plan(Duration.ofMillis(500)),
                  ScaleWorkloads.all(FEW),
                  List.of(),
                  SluiceCrowd.CANDIDATES,
                  what -> {})
              .run();
    }

    assertThat(sections).hasSameSizeAs(ScaleWorkloads.all(FEW));
    for (Section section : sections) {
      for (String label : section.results().labels()) {
        assertThat(section.results().of(label, Metric.OPS).median())
            .as(section.id() + ", " + label)
            .isPositive();
      }
    }
    Section waiters = section(sections, ScaleWorkloads.WAITERS);
    assertThat(waiters.results().of("4 waiters", Metric.WAITER_BYTES).median()).isPositive();
    assertThat(waiters.results().of("4 waiters", Metric.HAND_OVER_P50).median()).isPositive();
    Section keys = section(sections, ScaleWorkloads.LOCK_KEYS);
    double bytes = keys.results().of("20,000 keys", Metric.BYTES).median();
    assertThat(bytes).isPositive();
    // what the server has in use for one more key: the same and its place in the tables
    assertThat(keys.results().of("20,000 keys", Metric.BYTES_USED).median())
        .isBetween(0.5 * bytes, 3 * bytes);

    Section forecast =
        new Forecast(sections, FEW, Crowds::processes, 2, 100, 0, what -> {}).prediction();
    // own locks on 1, 10 and 100 masters, the hot lock, the limit in three ways, claims in two
    assertThat(forecast.results().labels()).hasSize(9);
  }

  private static Section section(List<Section> sections, String id) {
    return sections.stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
  }
}
