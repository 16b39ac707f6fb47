package dev.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Facts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The verdict says no more than the rule decides. */
class OutcomeTest {
  private static final int SAMPLES = 360; // half an hour, each five seconds
  private static final Growth.Bound BOUND = new Growth.Bound(4e6, 0.10);

  private static SoakReport heapThatRises(double bytesPerSample) {
    List<Double> seconds = new ArrayList<>();
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      seconds.add(5.0 * (i + 1));
      values.add(38e6 + bytesPerSample * i);
    }
    Duration time = Duration.ofMinutes(30);
    return new SoakReport(
        new SoakOutcome(
            time,
            time,
            seconds,
            List.of(new Series("heap", "bytes", BOUND, values)),
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of(),
            List.of()));
  }

  @Test
  void aRiseWithinTheBoundIsNotCalledFlat() {
    SoakReport report = heapThatRises(11_300);

    String markdown = report.markdown(new Facts("Soak", Map.of()));

    assertThat(report.isWithinBounds()).isTrue();
    assertThat(report.verdict()).isEqualTo("no growth beyond the bounds");
    assertThat(markdown).contains("1.83 MB").contains("within bound").doesNotContain("flat");
    assertThat(markdown)
        .contains("- Judged: the last 895 s; per hour, ")
        .contains(" are 4.5 times");
  }

  @Test
  void aRiseBeyondTheBoundGrows() {
    SoakReport report = heapThatRises(40_000);

    assertThat(report.isWithinBounds()).isFalse();
    assertThat(report.verdict()).isEqualTo("GROWS: heap");
  }
}
