package dev.sluice.bench.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Candidates;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetTest {

  @Test
  void roundsGoOnWhileThereIsTime() throws Exception {
    assertThat(rounds(Duration.ofHours(1))).isEqualTo(RunPlan.shared().rounds());
  }

  @Test
  void withoutTimeThereAreTheLeastRounds() throws Exception {
    assertThat(rounds(Duration.ZERO)).isEqualTo(Chapter.MIN_ROUNDS);
  }

  private static int rounds(Duration budget) throws Exception {
    try (Bench bench = Bench.start(List.of(), 0)) {
      Workload counting =
          new Comparison("in-process", "counting", "Counting", "")
              .rows("sluice", "bare")
              .cold()
              .measures((on, row, round, plan) -> new Sample());
      List<Section> sections =
          new Chapter(
                  bench,
                  RunPlan.shared(),
                  List.of(counting),
                  List.of(),
                  Candidates.of("in-process"),
                  what -> {})
              .within(budget)
              .run();
      return sections.get(0).results().rounds("sluice").size();
    }
  }
}
