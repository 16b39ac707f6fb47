package dev.sluice.bench.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Engines;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.Engine;
import dev.sluice.bench.systems.EngineKind;
import dev.sluice.servers.PostgresqlServer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * One workload of each engine that has goals, at the smallest size. No number is judged, but that
 * what a floor must send was seen; the borders of so short a time cut a pair or two.
 */
class EngineRunTest {
  @Test
  void everybodyOnZooKeeperRuns() throws Exception {
    Section section = run("zookeeper-1");

    assertThat(section.results().contestants()).containsExactly("sluice-zk", "curator", "raw-zk");
    assertThat(section.results().of("raw-zk", Metric.EXECUTED).median()).isBetween(2.9, 4.0);
  }

  @Test
  void everybodyOnPostgresqlRuns() throws Exception {
    assumeTrue(Engines.isInstalled(Engine.POSTGRESQL), PostgresqlServer.ABSENT);

    Section section = run("postgresql-1");

    assertThat(section.results().contestants())
        .containsExactly("sluice-pg", "spring-jdbc", "shedlock", "raw-pg");
    assertThat(section.results().of("raw-pg", Metric.EXECUTED).median()).isBetween(1.9, 2.5);
  }

  @Test
  void everybodyOnSqliteRuns() throws Exception {
    Section section = run("sqlite-2");

    assertThat(section.results().contestants()).containsExactly("sluice-sqlite", "raw-sqlite");
    assertThat(section.results().of("sluice-sqlite", Metric.FAILED).median()).isZero();
  }

  private static Section run(String workload) throws Exception {
    List<Section> sections;
    try (Bench bench = Bench.start(List.of(), 0)) {
      sections =
          new Chapter(
                  bench,
                  Tiny.pace(Duration.ofSeconds(1)).withRounds(3),
                  EngineWorkloads.all(),
                  List.of(workload),
                  EnumSet.allOf(EngineKind.class),
                  what -> {})
              .run();
    }
    assertThat(sections).hasSize(1);
    Section section = sections.get(0);
    for (String label : section.results().contestants()) {
      assertThat(section.results().of(label, Metric.OPS).median()).as(label).isPositive();
    }
    assertThat(section.goals())
        .isNotEmpty()
        .extracting(Goal::measured)
        .allSatisfy(measured -> assertThat(measured.isKnown()).isTrue());
    return section;
  }
}
