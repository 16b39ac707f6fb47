package dev.sluice.bench.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.gate.Gate.Change;
import dev.sluice.bench.gate.Gate.Finding;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Spread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GateTest {
  private static final Gate GATE = new Gate(Gate.MARGIN);
  private static final String RATE = "x raw";
  private static final String WAIT = "p50 wait against redisson";
  private static final String SENT = Metric.SENT.title();
  private static final String BYTES = Metric.BYTES.title();

  @Test
  void noiseIsNoRegression() {
    Random random = new Random(8);
    for (int i = 0; i < 2_000; i++) {
      Run accepted = noisy(random, 1, 1, 1);
      Run now = noisy(random, 1, 1, 1);

      assertThat(GATE.compare(accepted, now)).as("pair %d", i).isEmpty();
    }
  }

  @Test
  void aPlantedRegressionIsFoundThroughTheSameNoise() {
    Random random = new Random(8);
    for (int i = 0; i < 2_000; i++) {
      Run accepted = noisy(random, 1, 1, 1);

      assertThat(changes(accepted, noisy(random, 0.6, 1, 1))).containsExactly(Change.WORSE);
      assertThat(changes(accepted, noisy(random, 1, 1.6, 1))).containsExactly(Change.WORSE);
      assertThat(changes(accepted, noisy(random, 1, 1, 1.5))).containsExactly(Change.WORSE);
    }
  }

  @Test
  void aRateIsWorseBelowTheWorstAcceptedRoundAndTheMarginOnly() {
    Run accepted = run(rate(1.0, 0.9, 1.1, 5));

    assertThat(changes(accepted, run(rate(0.7, 0.6, 0.73, 5)))).isEmpty();
    assertThat(changes(accepted, run(rate(0.7, 0.6, 0.71, 5)))).containsExactly(Change.WORSE);
    assertThat(changes(accepted, run(rate(1.4, 1.31, 1.5, 5)))).isEmpty();
    assertThat(changes(accepted, run(rate(1.4, 1.33, 1.5, 5)))).containsExactly(Change.BETTER);
    assertThat(new Gate(0).compare(accepted, run(rate(0.8, 0.7, 0.89, 5)))).hasSize(1);
  }

  @Test
  void aCostIsWorseAbove() {
    Run wait = run(ratio(WAIT, 0.5, 0.4, 0.6, 5));
    assertThat(changes(wait, run(ratio(WAIT, 0.8, 0.71, 0.9, 5)))).isEmpty();
    assertThat(changes(wait, run(ratio(WAIT, 0.8, 0.73, 0.9, 5)))).containsExactly(Change.WORSE);

    Run sent = run(ratio(SENT, 2, 2, 2, 1));
    assertThat(changes(sent, run(ratio(SENT, 2.4, 2.4, 2.4, 5)))).isEmpty();
    assertThat(changes(sent, run(ratio(SENT, 3, 3, 3, 5)))).containsExactly(Change.WORSE);

    Run none = run(ratio(SENT, 0, 0, 0, 5));
    assertThat(changes(none, run(ratio(SENT, 0.019, 0.019, 0.02, 5)))).isEmpty();
    assertThat(changes(none, run(ratio(SENT, 0.03, 0.021, 0.04, 5)))).containsExactly(Change.WORSE);

    Run bytes = run(ratio(BYTES, 136, 136, 136, 3));
    assertThat(changes(bytes, run(ratio(BYTES, 150, 150, 150, 3)))).isEmpty();
    assertThat(changes(bytes, run(ratio(BYTES, 152, 152, 152, 3)))).containsExactly(Change.WORSE);
  }

  @Test
  void oneRoundHasNoSpreadSoItsMarginIsTwiceAsWide() {
    Run accepted = run(rate(1, 1, 1, 1));

    assertThat(changes(accepted, run(rate(0.61, 0.61, 0.61, 1)))).isEmpty();
    assertThat(changes(accepted, run(rate(0.59, 0.59, 0.59, 1)))).containsExactly(Change.WORSE);
  }

  @Test
  void whatVanishedIsAFailureAndWhatIsNewIsNot() {
    Run both = run(rate(1, 1, 1, 5), ratio(SENT, 2, 2, 2, 5));
    Run one = run(rate(1, 1, 1, 5));

    assertThat(changes(both, one)).containsExactly(Change.VANISHED);
    assertThat(changes(one, both)).containsExactly(Change.NEW);
    assertThat(Change.VANISHED.isFailure()).isTrue();
    assertThat(Change.WORSE.isFailure()).isTrue();
    assertThat(Change.NEW.isFailure()).isFalse();
    assertThat(Change.BETTER.isFailure()).isFalse();
  }

  @Test
  void aMarginBeyondHalfIsRefused() {
    assertThatThrownBy(() -> new Gate(0.6)).hasMessage("margin must be 0 to 0.5: 0.6");
    assertThatThrownBy(() -> new Gate(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anotherAcceptedRunMakesTheSpreadsWider(@TempDir Path folder) throws Exception {
    Accepted one = new Accepted(Map.of()).with(run(rate(1, 0.9, 1.1, 5)));

    Accepted both = one.widenedBy(run(rate(0.7, 0.6, 0.8, 3), ratio(SENT, 2, 2, 2, 5)));

    both.write(folder.resolve("accepted.json"));
    Run known = Accepted.read(folder.resolve("accepted.json")).run("all", "locks").orElseThrow();
    assertThat(known.ratios()).containsExactly(rate(0.7, 0.6, 1.1, 5), ratio(SENT, 2, 2, 2, 5));
    assertThat(known.source()).containsEntry("Date", "today");
  }

  @Test
  void readsWhatAReportWrites(@TempDir Path folder) throws Exception {
    report(2000, 2.01).write(folder, "locks");

    Run run = Run.read(folder.resolve("locks.json"));

    assertThat(run.chapter()).isEqualTo("locks");
    assertThat(run.extent()).isEqualTo("full");
    assertThat(run.source()).containsExactly(Map.entry("Machine", "here"));
    assertThat(run.ratios())
        .containsExactly(
            new Ratio("hot", "sluice", "x redisson", new Spread(2, 2, 2, 3)),
            new Ratio("hot", "sluice", SENT, new Spread(2.01, 2.01, 2.01, 3)),
            new Ratio("wake-up", "sluice", WAIT, new Spread(0.5, 0.5, 0.5, 3)));
  }

  @Test
  void aFileOfAnotherKindIsRefusedByName(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("locks.json"), "{\"facts\": {}}");
    assertThatThrownBy(() -> Run.read(file))
        .hasMessageContaining("locks.json is no report of a chapter: it does not say how much");
    Files.writeString(file, "{");
    assertThatThrownBy(() -> Run.read(file)).hasMessageContaining("locks.json is no report");
    Files.writeString(
        file,
        "{\"full\": {\"locks\": {\"source\": {}, \"ratios\": {\"a\": {\"b\": {\"c\": 1}}}}}}");
    assertThatThrownBy(() -> Accepted.read(file))
        .hasMessageEndingWith("a ratio must be [median, least, most, rounds], there is: 1");
  }

  @Test
  void aGateThatComparedNothingIsClosed() {
    Run now = run(rate(1, 1, 1, 5));
    Accepted none = new Accepted(Map.of());
    Accepted known = none.with(now);

    assertThat(GateResult.of(GATE, none, List.of(), List.of()).isOpen()).isFalse();
    assertThat(GateResult.of(GATE, none, List.of(now), List.of()).isOpen()).isFalse();
    assertThat(GateResult.of(GATE, known, List.of(), List.of()).isOpen()).isFalse();
    assertThat(GateResult.of(GATE, known, List.of(now), List.of()).isOpen()).isTrue();
  }

  @Test
  void aChapterThatWasNotRunClosesTheGateUnlessOthersAreNamed() {
    Run locks = run(rate(1, 1, 1, 5));
    Run bloom = new Run("bloom", "all", Map.of(), List.of(rate(1, 1, 1, 5)));
    Accepted both = new Accepted(Map.of()).with(locks).with(bloom);

    GateResult all = GateResult.of(GATE, both, List.of(locks), List.of());
    assertThat(all.isOpen()).isFalse();
    assertThat(all.text()).contains("bloom: accepted once, and not run now");
    assertThat(GateResult.of(GATE, both, List.of(locks), List.of("locks")).isOpen()).isTrue();
    assertThat(GateResult.of(GATE, both, List.of(locks), List.of("locks", "bloom")).isOpen())
        .isFalse();
  }

  @Test
  void theTableNamesWhatGotWorse() {
    Accepted accepted = new Accepted(Map.of()).with(run(rate(1, 0.9, 1.1, 5)));

    GateResult verdict =
        GateResult.of(GATE, accepted, List.of(run(rate(0.5, 0.4, 0.6, 5))), List.of());

    assertThat(verdict.isOpen()).isFalse();
    assertThat(verdict.text())
        .contains("| locks   | hot      | sluice | x raw   |")
        .contains("| 1 (0.90 to 1.10) | 0.50 (0.40 to 0.60) | WORSE |")
        .endsWith("WORSE: 1, VANISHED: 0, better: 0, new: 0, of 1 ratios accepted\n");
  }

  private static List<Change> changes(Run accepted, Run now) {
    return GATE.compare(accepted, now).stream().map(Finding::change).toList();
  }

  private static Ratio rate(double median, double least, double most, int rounds) {
    return ratio(RATE, median, least, most, rounds);
  }

  private static Ratio ratio(String measure, double median, double least, double most, int rounds) {
    return new Ratio("hot", "sluice", measure, new Spread(median, least, most, rounds));
  }

  private static Run run(Ratio... ratios) {
    return new Run("locks", "all", Map.of("Date", "today"), List.of(ratios));
  }

  /** Rounds differ by a tenth, runs by another twentieth, and so does what is counted, a little. */
  private static Run noisy(Random random, double rate, double wait, double sent) {
    return run(
        rounds(random, RATE, 143 * rate, 0.1, 0.05),
        rounds(random, WAIT, 0.057 * wait, 0.1, 0.05),
        rounds(random, SENT, 2 * sent, 0.005, 0.005));
  }

  private static Ratio rounds(
      Random random, String measure, double value, double byRound, double byRun) {
    double level = value * (1 + byRun * (2 * random.nextDouble() - 1));
    List<Double> rounds = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      rounds.add(level * (1 + byRound * (2 * random.nextDouble() - 1)));
    }
    return new Ratio("hot", "sluice", measure, Spread.of(rounds));
  }

  private static BenchReport report(double ours, double sent) {
    Results hot = new Results();
    Results wakeUp = new Results();
    for (int i = 0; i < 3; i++) {
      hot.add("sluice", new Sample().put(Metric.OPS, ours).put(Metric.SENT, sent));
      hot.add("redisson", new Sample().put(Metric.OPS, 1000).put(Metric.SENT, 9));
      wakeUp.add("sluice", new Sample().put(Metric.OPS, 300).put(Metric.WAIT_P50, 200));
      wakeUp.add("redisson", new Sample().put(Metric.OPS, 300).put(Metric.WAIT_P50, 400));
    }
    return new BenchReport(
        new Facts("Locks", "full", Map.of("Machine", "here", "Redis", "there")),
        List.of(
            section("hot", hot, Metric.OPS, Metric.SENT),
            section("wake-up", wakeUp, Metric.WAIT_P50)));
  }

  private static Section section(String id, Results results, Metric... columns) {
    return new Section(id, id, "", "", List.of(columns), false, results, List.of());
  }
}
