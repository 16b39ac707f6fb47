package dev.sluice.bench.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.FamilyKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Some workloads once, at the smallest size, on a real server. No number is judged. */
class FamilyRunTest {
  private static final Pace TINY =
      new Pace(
          1,
          Duration.ofMillis(300),
          Duration.ofMillis(20),
          Duration.ofMillis(500),
          Duration.ofMillis(300),
          20,
          100,
          Duration.ofMillis(600),
          false);

  @Test
  void everyContestantRuns() throws Exception {
    List<String> some = List.of("semaphore-1", "read-1", "write-1", "hot-semaphore", "hot-read");
    try (Bench bench = Bench.start(List.of())) {
      List<Section> sections =
          new Chapter(
                  bench,
                  TINY,
                  FamilyWorkloads.all(),
                  some,
                  EnumSet.allOf(FamilyKind.class),
                  what -> {})
              .run();
      assertThat(sections).hasSize(some.size());
      for (Section section : sections) {
        assertThat(section.results().contestants()).as(section.id()).hasSize(3);
        for (String contestant : section.results().contestants()) {
          assertThat(section.results().of(contestant, Metric.OPS).median())
              .as(section.id() + ", " + contestant)
              .isPositive();
        }
        assertThat(section.goals()).as(section.id()).isNotEmpty();
      }
    }
  }
}
