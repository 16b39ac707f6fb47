package dev.sluice.bench.caches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.CacheKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every workload once, at the smallest size, on a real server. No number is judged. */
class CacheRunTest {
  @Test
  void everyWorkloadRunsWithSluiceAndTheFloors() throws Exception {
    List<Section> sections =
        run(
            List.of("near-1", "near-2", "store-16"),
            List.of("penetration", "avalanche", "stampede", "kill"),
            EnumSet.of(CacheKind.SLUICE, CacheKind.CAFFEINE, CacheKind.RAW));

    assertThat(sections).hasSameSizeAs(CacheWorkloads.all());
    for (Section section : sections) {
      Results results = section.results();
      assertThat(results.contestants()).as(section.id()).isNotEmpty();
      for (String contestant : results.contestants()) {
        String what = section.id() + ", " + contestant;
        assertThat(results.rounds(contestant)).as(what).hasSize(1);
        Metric first = section.charted() ? Metric.OPS : Metric.LOADS;
        assertThat(results.of(contestant, first).median()).as(what).isPositive();
      }
      assertThat(section.goals()).as(section.id()).isNotEmpty();
      assertThat(section.goals()).allMatch(goal -> goal.measured().isKnown());
    }
  }

  @Test
  void thePeersRunToo() throws Exception {
    List<Section> sections =
        run(
            List.of("near-1"),
            List.of("stampede"),
            EnumSet.of(CacheKind.REDISSON, CacheKind.JETCACHE));

    for (Section section : sections) {
      for (String contestant : section.results().contestants()) {
        Metric metric = section.charted() ? Metric.OPS : Metric.LOADS;
        assertThat(section.results().of(contestant, metric).median())
            .as(section.id() + ", " + contestant)
            .isPositive();
      }
    }
  }

  private static List<Section> run(List<String> rates, List<String> others, Set<CacheKind> systems)
      throws Exception {
    List<Section> sections = new ArrayList<>();
    try (Bench bench = Tiny.bench()) {
      for (boolean rate : List.of(true, false)) {
        Pace pace = Tiny.pace(Duration.ofMillis(rate ? 500 : 50)); // of the others: how many trials
        List<String> only = rate ? rates : others;
        sections.addAll(
            new Chapter(bench, pace, CacheWorkloads.all(), only, systems, what -> {}).run());
      }
    }
    return sections;
  }
}
