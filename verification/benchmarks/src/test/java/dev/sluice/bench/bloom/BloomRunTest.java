package dev.sluice.bench.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.BloomKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workloads once, at the smallest size, on a real server. No rate is judged. */
class BloomRunTest {
  /** One of each kind. */
  private static final List<String> ONLY =
      List.of("check-16", "add-async", "add-100", "at-once", "accuracy");

  @Test
  void everyKindOfWorkloadRunsWithEverybody() throws Exception {
    List<Section> sections;
    try (Bench bench = Tiny.bench()) {
      sections =
          new Chapter(
                  bench,
                  Tiny.pace(Duration.ofMillis(500)),
                  BloomWorkloads.all(),
                  ONLY,
                  EnumSet.allOf(BloomKind.class),
                  what -> {})
              .run();
    }
    assertThat(sections).hasSameSizeAs(ONLY);
    for (Section section : sections) {
      Results results = section.results();
      assertThat(section.goals()).as(section.id()).isNotEmpty();
      for (String contestant : results.contestants()) {
        String what = section.id() + ", " + contestant;
        assertThat(results.rounds(contestant)).as(what).hasSize(1);
        if (section.charted()) {
          assertThat(results.of(contestant, Metric.OPS).median()).as(what).isPositive();
          assertThat(results.of(contestant, Metric.FAILED).median()).as(what).isZero();
          assertThat(results.of(contestant, Metric.COMMAND_CPU).median()).as(what).isPositive();
          assertThat(results.of(contestant, Metric.EXECUTED).median()).as(what).isGreaterThan(0.99);
        }
        if (section.id().equals("at-once")) {
          assertThat(results.of(contestant, Metric.LONGEST).median()).as(what).isPositive();
        }
        if (section.id().equals("accuracy")) {
          assertThat(results.of(contestant, Metric.ACCURACY).median()).as(what).isBetween(0.5, 3.0);
        }
      }
    }
  }
}
