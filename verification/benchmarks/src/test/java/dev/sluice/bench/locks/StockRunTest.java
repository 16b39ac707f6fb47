package dev.sluice.bench.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.StockKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every workload once, at the smallest size, on a real server. No number is judged. */
class StockRunTest {
  @Test
  void everyWorkloadRunsWithEverybody() throws Exception {
    List<Section> sections;
    try (Bench bench = Tiny.bench()) {
      sections =
          new Chapter(
                  bench,
                  Tiny.pace(Duration.ofMillis(500)),
                  StockWorkloads.all(),
                  List.of(),
                  EnumSet.allOf(StockKind.class),
                  what -> {})
              .run();
    }
    assertThat(sections).hasSameSizeAs(StockWorkloads.all());
    assertThat(sections)
        .flatExtracting(section -> section.results().contestants())
        .contains(Arrays.stream(StockKind.values()).map(StockKind::id).toArray(String[]::new));
    for (Section section : sections) {
      for (String label : section.results().contestants()) {
        assertThat(section.results().of(label, Metric.OPS).median())
            .as(section.id() + ", " + label)
            .isPositive();
      }
      assertThat(section.goals()).as(section.id()).isNotEmpty();
    }
  }
}
