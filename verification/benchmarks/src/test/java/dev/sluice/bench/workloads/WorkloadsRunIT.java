package dev.sluice.bench.workloads;

import static dev.sluice.bench.report.Metric.ACCURACY;
import static dev.sluice.bench.report.Metric.ADMITTED;
import static dev.sluice.bench.report.Metric.BYTES;
import static dev.sluice.bench.report.Metric.COMMAND_CPU;
import static dev.sluice.bench.report.Metric.EXCESS;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.FAILED;
import static dev.sluice.bench.report.Metric.LOADS;
import static dev.sluice.bench.report.Metric.LONGEST;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.REFUSED;
import static dev.sluice.bench.report.Metric.SENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Tiny;
import dev.sluice.bench.systems.Candidate;
import dev.sluice.bench.systems.Candidates;
import dev.sluice.bench.systems.Engine;
import dev.sluice.servers.PostgresqlServer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One workload of each kind, at the smallest size, on real servers. No number is judged. */
class WorkloadsRunIT {
  private static final RunPlan SHORT = Tiny.plan(Duration.ofMillis(500));

  @Test
  void locks() throws Exception {
    List<String> only =
        List.of("memory", "uncontended-16", "hot-4x8", "wake-up", "sticky", "renewal", "held");
    judge(run("locks", LockWorkloads.all(), SHORT, only, "sluice", "raw", "raw-fenced"));
  }

  @Tag("full")
  @Test
  void peersOfLocks() throws Exception {
    judge(
        run(
            "locks",
            LockWorkloads.all(),
            SHORT,
            List.of("uncontended-1", "hot-2"),
            "redisson",
            "spring"));
  }

  @Tag("full")
  @Test
  void limits() throws Exception {
    List<String> only =
        List.of("memory", "hot-16", "async-hot", "leasing", "overload-bucket", "crowd", "replay");
    for (Section section :
        judge(run("limits", LimitWorkloads.all(), SHORT, only, "sluice", "raw"))) {
      for (String row : section.results().labels()) {
        if (section.charted()) {
          assertThat(section.results().of(row, REFUSED).median()).as(row).isZero();
        }
        if (section.id().startsWith("overload")) {
          assertThat(section.results().of(row, EXCESS).median()).as(row).isZero();
          assertThat(section.results().of(row, ADMITTED).median()).as(row).isPositive();
        }
      }
    }
  }

  @Tag("full")
  @Test
  void peersOfLimits() throws Exception {
    List<Section> sections =
        run(
            "limits",
            LimitWorkloads.all(),
            SHORT,
            List.of("memory", "keys-16"),
            "redisson",
            "bucket4j");
    judge(sections);
    for (String row : sections.get(0).results().labels()) {
      assertThat(sections.get(0).results().of(row, BYTES).median()).as(row).isPositive();
    }
  }

  @Tag("full")
  @Test
  void bloomFilters() throws Exception {
    List<String> only = List.of("check-16", "add-async", "add-100", "at-once", "accuracy");
    for (Section section :
        judge(run("bloom", BloomWorkloads.all(), SHORT, only, "sluice", "redisson", "raw"))) {
      for (String row : section.results().labels()) {
        String what = section.id() + ", " + row;
        if (section.charted()) {
          assertThat(section.results().of(row, FAILED).median()).as(what).isZero();
          assertThat(section.results().of(row, COMMAND_CPU).median()).as(what).isPositive();
          assertThat(section.results().of(row, EXECUTED).median()).as(what).isGreaterThan(0.99);
        }
        if (section.id().equals("at-once")) {
          assertThat(section.results().of(row, LONGEST).median()).as(what).isPositive();
        }
        if (section.id().equals("accuracy")) {
          assertThat(section.results().of(row, ACCURACY).median()).as(what).isBetween(0.5, 3.0);
        }
      }
    }
  }

  @Tag("full")
  @Test
  void caches() throws Exception {
    String[] systems = {"sluice", "caffeine", "raw"};
    judge(
        run(
            "cache",
            CacheWorkloads.all(),
            SHORT,
            List.of("near-1", "near-2", "store-16"),
            systems));
    for (Section section :
        judge(
            run(
                "cache",
                CacheWorkloads.all(),
                Tiny.plan(Duration.ofMillis(50)), // of these, how many trials
                List.of("penetration", "avalanche", "stampede", "kill"),
                systems))) {
      assertThat(section.goals()).allMatch(goal -> goal.measured().isKnown());
      for (String row : section.results().labels()) {
        assertThat(section.results().of(row, LOADS).median()).as(row).isPositive();
      }
    }
  }

  @Tag("full")
  @Test
  void peersOfCaches() throws Exception {
    judge(
        run(
            "cache",
            CacheWorkloads.all(),
            Tiny.plan(Duration.ofMillis(50)),
            List.of("near-1", "stampede"),
            "redisson",
            "jetcache"));
  }

  @Tag("full")
  @Test
  void lockFamily() throws Exception {
    List<String> only =
        List.of("semaphore-16", "read-16", "write-16", "multi-lock-16", "hot-semaphore", "cluster");
    String[] all = {"sluice", "sluice-cluster", "redisson", "raw"};
    assertThat(judge(run("family", FamilyWorkloads.all(), SHORT, only, all)))
        .flatExtracting(section -> section.results().labels())
        .contains(all);
  }

  @Tag("full")
  @Test
  void stocks() throws Exception {
    judge(run("inventory", FamilyWorkloads.stock(), SHORT, List.of(), "sluice", "raw"));
  }

  /** What a floor must send is seen; the borders of so short a time cut a pair or two. */
  @Tag("full")
  @Test
  void zooKeeper() throws Exception {
    Section section = engine("zookeeper-1");
    assertThat(section.results().labels()).containsExactly("sluice-zk", "curator", "raw-zk");
    assertThat(section.results().of("raw-zk", EXECUTED).median()).isBetween(2.9, 4.0);
  }

  @Tag("full")
  @Test
  void postgresql() throws Exception {
    assumeTrue(Bench.isInstalled(Engine.POSTGRESQL), PostgresqlServer.ABSENT);
    Section section = engine("postgresql-1");
    assertThat(section.results().labels())
        .containsExactly("sluice-pg", "spring-jdbc", "shedlock", "raw-pg");
    assertThat(section.results().of("raw-pg", EXECUTED).median()).isBetween(1.9, 2.5);
  }

  @Tag("full")
  @Test
  void sqlite() throws Exception {
    Section section = engine("sqlite-2");
    assertThat(section.results().labels()).containsExactly("sluice-sqlite", "raw-sqlite");
    assertThat(section.results().of("sluice-sqlite", FAILED).median()).isZero();
  }

  private static Section engine(String workload) throws Exception {
    RunPlan plan = Tiny.plan(Duration.ofSeconds(1)).withRounds(3);
    try (Bench bench = Bench.start(List.of(), 0)) {
      List<Section> sections =
          run(bench, EngineWorkloads.all(), plan, List.of(workload), Candidates.of("engines"));
      assertThat(judge(sections)).hasSize(1);
      assertThat(sections.get(0).goals()).allMatch(goal -> goal.measured().isKnown());
      return sections.get(0);
    }
  }

  private static List<Section> run(
      String chapter, List<Workload> all, RunPlan plan, List<String> only, String... systems)
      throws Exception {
    List<Candidate> taking = Stream.of(systems).map(each -> Candidates.of(chapter, each)).toList();
    try (Bench bench = Tiny.bench()) {
      List<Section> sections = run(bench, all, plan, only, taking);
      assertThat(sections).hasSameSizeAs(Chapter.ids(all, only));
      return sections;
    }
  }

  private static List<Section> run(
      Bench bench,
      List<Workload> all,
      RunPlan plan,
      List<String> only,
      Collection<Candidate> systems)
      throws Exception {
    return new Chapter(bench, plan, all, only, systems, what -> {}).run();
  }

  /** Every row has its rounds, and rates where the chart shows them. */
  private static List<Section> judge(List<Section> sections) {
    for (Section section : sections) {
      Results results = section.results();
      assertThat(results.labels()).as(section.id()).isNotEmpty();
      assertThat(section.goals()).as(section.id()).isNotEmpty();
      for (String row : results.labels()) {
        String what = section.id() + ", " + row;
        assertThat(results.rounds(row)).as(what).isNotEmpty();
        if (section.columns().contains(OPS)) {
          assertThat(results.of(row, OPS).median()).as(what).isPositive();
        }
        if (section.charted() && section.columns().contains(SENT)) {
          assertThat(results.of(row, SENT).median()).as(what).isNotNegative();
        }
      }
    }
    return sections;
  }

  @Test
  void anUnknownWorkloadIsRefusedByName() {
    assertThatThrownBy(() -> Chapter.ids(LockWorkloads.all(), List.of("nope")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no workload 'nope'; there are memory, ");
  }

  @Test
  void aPlanWithoutRoundsIsRefused() {
    assertThatThrownBy(() -> RunPlan.quick().withRounds(0)).hasMessage("rounds must be >= 1: 0");
  }
}
