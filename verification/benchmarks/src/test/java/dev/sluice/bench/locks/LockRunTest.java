package dev.sluice.bench.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.SystemKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One workload of each kind, at the smallest size, on a real server. No number is judged. */
class LockRunTest {
  private static final List<String> ONLY =
      List.of("memory", "uncontended-16", "hot-4x8", "wake-up", "sticky", "renewal", "held");

  @Test
  void everyKindOfWorkloadRunsWithSluiceAndTheFloors() throws Exception {
    List<Section> sections =
        run(ONLY, EnumSet.of(SystemKind.SLUICE, SystemKind.RAW, SystemKind.RAW_FENCED));

    assertThat(sections).hasSameSizeAs(Chapter.ids(LockWorkloads.all(), ONLY));
    for (Section section : sections) {
      Results results = section.results();
      assertThat(results.contestants()).as(section.id()).isNotEmpty();
      for (String contestant : results.contestants()) {
        assertThat(results.rounds(contestant)).as(section.id() + ", " + contestant).hasSize(1);
        if (section.charted()) {
          assertThat(results.of(contestant, Metric.OPS).median()).isPositive();
          assertThat(results.of(contestant, Metric.SENT).median()).isNotNegative();
        }
      }
      assertThat(section.goals()).as(section.id()).isNotEmpty();
    }
  }

  @Test
  void thePeersRunToo() throws Exception {
    List<Section> sections =
        run(List.of("uncontended-1", "hot-2"), EnumSet.of(SystemKind.REDISSON, SystemKind.SPRING));

    for (Section section : sections) {
      for (String contestant : List.of("redisson", "spring")) {
        assertThat(section.results().of(contestant, Metric.OPS).median())
            .as(section.id() + ", " + contestant)
            .isPositive();
      }
    }
  }

  @Test
  void anUnknownWorkloadIsRefusedByName() {
    assertThatThrownBy(() -> Chapter.ids(LockWorkloads.all(), List.of("nope")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no workload 'nope'; there are memory, ");
  }

  @Test
  void aPaceWithoutRoundsIsRefused() {
    assertThatThrownBy(() -> Pace.quick().withRounds(0)).hasMessage("rounds must be >= 1: 0");
  }

  private static List<Section> run(List<String> only, Set<SystemKind> systems) throws Exception {
    try (Bench bench = Tiny.bench()) {
      return new Chapter(
              bench,
              Tiny.pace(Duration.ofMillis(500)),
              LockWorkloads.all(),
              only,
              systems,
              what -> {})
          .run();
    }
  }
}
