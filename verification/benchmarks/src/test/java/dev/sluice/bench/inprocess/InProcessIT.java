package dev.sluice.bench.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Candidates;
import dev.sluice.inventory.ClaimResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** That each benchmark does what its name says; no number is judged. */
class InProcessIT {
  private static final RunPlan TINY =
      new RunPlan(
          1,
          Duration.ofMillis(20),
          Duration.ZERO,
          Duration.ofMillis(500),
          Duration.ZERO,
          1,
          1,
          Duration.ZERO,
          false);

  @Test
  void aWorkloadRunsInJvmsOfItsOwn() throws Exception {
    try (Bench bench = Bench.start(List.of(), 0)) {
      List<Section> sections =
          new Chapter(
                  bench,
                  TINY,
                  InProcessWorkloads.all(),
                  List.of("guard"),
                  Candidates.of("in-process"),
                  what -> {})
              .run();

      for (String label : List.of("sluice", "bare")) {
        for (Metric metric : sections.get(0).columns()) {
          assertThat(sections.get(0).results().of(label, metric).median())
              .as(label + ", " + metric)
              .isNotNegative();
        }
        assertThat(sections.get(0).results().of(label, Metric.NANOS).median()).isPositive();
      }
    }
  }

  @Test
  void aLockIsTakenAndGivenBack() throws Exception {
    LockCost cost = new LockCost();
    for (int i = 0; i < 3; i++) {
      assertThat(cost.sluice()).isTrue();
      assertThat(cost.floor()).isTrue();
    }
    cost.close();
  }

  @Test
  void everyCallIsAdmitted() {
    LimitCost cost = new LimitCost();
    for (int i = 0; i < 1_000; i++) {
      assertThat(cost.sluice()).isTrue();
      assertThat(cost.floor()).isTrue();
    }
    cost.close();
  }

  @Test
  void keysHaveSevenBitsOfTheirOwn() {
    BloomCost cost = new BloomCost();
    Set<String> seen =
        new Keys("")
            .all().stream().map(key -> Arrays.toString(cost.sluice())).collect(Collectors.toSet());

    assertThat(cost.sluice()).hasSize(7);
    assertThat(seen).hasSize(Keys.COUNT);
    assertThat(cost.floor()).isNotEqualTo(cost.floor());
  }

  @Test
  void valuesAreThereWithoutALoad() {
    NearCost cost = new NearCost();
    for (int i = 0; i < Keys.COUNT; i++) {
      assertThat(cost.sluice()).isPresent();
      assertThat(cost.floor()).hasSize(100);
    }
    cost.close();
  }

  @Test
  void everybodyIsToldThatItIsSoldOut() {
    MemoCost cost = new MemoCost();
    for (int i = 0; i < Keys.COUNT; i++) {
      assertThat(cost.sluice()).isEqualTo(ClaimResult.Outcome.SOLD_OUT);
      assertThat(cost.floor()).isTrue();
    }
    cost.close();
  }

  @Test
  void theGuardAdmitsTheTokenAgain() {
    GuardCost cost = new GuardCost();
    for (int i = 0; i < 2 * Keys.COUNT; i++) {
      assertThat(cost.sluice().stats().refused()).isZero();
    }
    assertThat(cost.floor().value()).isEqualTo(17);
    assertThat(cost.sluice().size()).isEqualTo(Keys.COUNT);
  }
}
