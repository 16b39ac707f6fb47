package dev.sluice.bench.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.FamilyKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One workload of each kind, at the smallest size, on a real server. No number is judged. */
class FamilyRunTest {
  private static final List<String> ONLY =
      List.of("semaphore-16", "read-16", "write-16", "multi-lock-16", "hot-semaphore", "cluster");

  @Test
  void everyKindOfWorkloadRunsWithEverybody() throws Exception {
    List<Section> sections;
    try (Bench bench = Tiny.bench()) {
      sections =
          new Chapter(
                  bench,
                  Tiny.pace(Duration.ofMillis(500)),
                  FamilyWorkloads.all(),
                  ONLY,
                  EnumSet.allOf(FamilyKind.class),
                  what -> {})
              .run();
    }
    assertThat(sections).hasSameSizeAs(ONLY);
    assertThat(sections)
        .flatExtracting(section -> section.results().contestants())
        .contains(Arrays.stream(FamilyKind.values()).map(FamilyKind::id).toArray(String[]::new));
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
