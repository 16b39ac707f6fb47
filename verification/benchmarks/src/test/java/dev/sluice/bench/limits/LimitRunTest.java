package dev.sluice.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.LimitKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One workload of each kind, at the smallest size, on a real server. No number is judged. */
class LimitRunTest {
  private static final List<String> ONLY =
      List.of("memory", "hot-16", "async-hot", "leasing", "overload-bucket", "crowd", "replay");

  @Test
  void everyKindOfWorkloadRunsWithSluiceAndTheFloor() throws Exception {
    List<Section> sections = run(ONLY, EnumSet.of(LimitKind.SLUICE, LimitKind.RAW));

    assertThat(sections).hasSameSizeAs(ONLY);
    for (Section section : sections) {
      Results results = section.results();
      assertThat(results.contestants()).as(section.id()).isNotEmpty();
      for (String contestant : results.contestants()) {
        String what = section.id() + ", " + contestant;
        assertThat(results.rounds(contestant)).as(what).hasSize(1);
        if (section.charted()) {
          assertThat(results.of(contestant, Metric.OPS).median()).as(what).isPositive();
          assertThat(results.of(contestant, Metric.SENT).median()).as(what).isNotNegative();
          assertThat(results.of(contestant, Metric.REFUSED).median()).as(what).isZero();
        }
        if (section.id().startsWith("overload")) {
          assertThat(results.of(contestant, Metric.EXCESS).median()).as(what).isZero();
          assertThat(results.of(contestant, Metric.ADMITTED).median()).as(what).isPositive();
        }
      }
      assertThat(section.goals()).as(section.id()).isNotEmpty();
    }
  }

  @Test
  void thePeersRunToo() throws Exception {
    List<Section> sections =
        run(List.of("memory", "keys-16"), EnumSet.of(LimitKind.REDISSON, LimitKind.BUCKET4J));

    for (Section section : sections) {
      for (String contestant : section.results().contestants()) {
        Metric metric = section.charted() ? Metric.OPS : Metric.BYTES;
        assertThat(section.results().of(contestant, metric).median())
            .as(section.id() + ", " + contestant)
            .isPositive();
      }
    }
  }

  private static List<Section> run(List<String> only, Set<LimitKind> systems) throws Exception {
    try (Bench bench = Tiny.bench()) {
      return new Chapter(
              bench,
              Tiny.pace(Duration.ofMillis(500)),
              LimitWorkloads.all(),
              only,
              systems,
              what -> {})
          .run();
    }
  }
}
