package dev.sluice.bench.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.InProcessKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetTest {

  @Test
  void roundsGoOnWhileThereIsTime() throws Exception {
    assertThat(rounds(Duration.ofHours(1))).isEqualTo(Pace.shared().rounds());
  }

  @Test
  void withoutTimeThereAreTheLeastRounds() throws Exception {
    assertThat(rounds(Duration.ZERO)).isEqualTo(Chapter.LEAST_ROUNDS);
  }

  private static int rounds(Duration budget) throws Exception {
    try (Bench bench = Bench.start(List.of(), 0)) {
      Workload counting = new Counting();
      List<Section> sections =
          new Chapter(
                  bench,
                  Pace.shared(),
                  List.of(counting),
                  List.of(),
                  EnumSet.allOf(InProcessKind.class),
                  what -> {})
              .within(budget)
              .run();
      return sections.get(0).results().rounds("sluice").size();
    }
  }

  private static final class Counting implements Workload {
    @Override
    public String id() {
      return "counting";
    }

    @Override
    public String title() {
      return "Counting";
    }

    @Override
    public String meaning() {
      return "";
    }

    @Override
    public List<Metric> columns() {
      return List.of();
    }

    @Override
    public List<Contestant> contestants() {
      return List.of(Contestant.of(InProcessKind.SLUICE), Contestant.of(InProcessKind.BARE));
    }

    @Override
    public boolean once() {
      return false;
    }

    @Override
    public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) {
      return new Sample();
    }

    @Override
    public List<Goal> goals(Results results) {
      return List.of();
    }
  }
}
