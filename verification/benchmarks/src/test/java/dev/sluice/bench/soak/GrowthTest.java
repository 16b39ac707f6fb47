package dev.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** The rule itself, on series whose answer is known. */
class GrowthTest {
  private static final int SAMPLES = 360; // half an hour, each five seconds
  private static final Growth.Bound BOUND = new Growth.Bound(10, 0.05);

  private final SplittableRandom random = new SplittableRandom(42);

  private static Growth judge(IntToDoubleFunction value) {
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      values.add(value.applyAsDouble(i));
    }
    return Growth.of(values, BOUND);
  }

  private double noise() {
    return random.nextDouble(-1, 1);
  }

  @Test
  void noiseIsNoGrowth() {
    for (int run = 0; run < 200; run++) {
      assertThat(judge(i -> 100 + 20 * noise()).grows()).isFalse();
    }
  }

  @Test
  void aSawIsNoGrowth() {
    for (int tooth = 2; tooth <= 18; tooth++) {
      int length = tooth;
      assertThat(judge(i -> 100 + 50.0 * (i % length) / length + noise()).grows()).isFalse();
    }
  }

  @Test
  void fillingUpInTheFirstHalfIsNoGrowth() {
    assertThat(judge(i -> Math.min(1000, 10 * i) + noise()).grows()).isFalse();
  }

  @Test
  void aFallIsNoGrowth() {
    assertThat(judge(i -> 1000 - i + noise()).grows()).isFalse();
  }

  @Test
  void burstsAreNoGrowth() {
    assertThat(judge(i -> i % 7 == 0 ? 500 + i : 100).grows()).isFalse();
  }

  @Test
  void aServerThatWasAwayAtTheBeginningIsNoGrowth() {
    assertThat(judge(i -> i / 18 == 10 || i / 18 == 11 ? 0 : 100 + noise()).grows()).isFalse();
    assertThat(judge(i -> i / 18 == 10 ? Double.NaN : 100 + noise()).grows()).isFalse();
  }

  @Test
  void aSlowLeakIsFoundInNoise() {
    for (int run = 0; run < 50; run++) {
      // twice the bound over the judged half, in noise of twice the bound
      Growth found = judge(i -> 100 + 20.0 * i / (SAMPLES / 2) + 20 * noise());
      assertThat(found.grows()).as("%s", found).isTrue();
    }
  }

  @Test
  void aSlowLeakIsFoundUnderASaw() {
    assertThat(judge(i -> 100 + 20.0 * i / (SAMPLES / 2) + 5 * (i % 12)).grows()).isTrue();
  }

  @Test
  void aLeakInStepsIsFound() {
    assertThat(judge(i -> 100 + 7.0 * (i / 60)).grows()).isTrue();
  }

  @Test
  void aLeakIsFoundThoughTheServerWasAwayNowAndThen() {
    assertThat(judge(i -> i % 40 == 0 ? Double.NaN : 100 + 0.2 * i).grows()).isTrue();
    assertThat(judge(i -> i / 18 == 12 || i / 18 == 15 ? 0 : 100 + 0.2 * i).grows()).isTrue();
  }

  @Test
  void theRiseIsThatOfTheJudgedHalf() {
    Growth found = judge(i -> 3.0 * i);
    assertThat(found.judged()).isEqualTo(180);
    assertThat(found.rise()).isEqualTo(3.0 * 18 * 9); // ten floors, 18 samples apart
    assertThat(found.allowed()).isEqualTo(0.05 * found.base());
  }

  @Test
  void aRisePerHourIsThatOfTheSameSlope() {
    double perSecond = 0.001; // samples are five seconds apart
    Growth found = judge(i -> 5 * perSecond * i);
    assertThat(found.rise() * Growth.perHour(SAMPLES / 2 * 5)).isCloseTo(3.6, within(1e-9));
  }

  @Test
  void tooFewSamplesSayNothing() {
    Growth found = Growth.of(List.of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 800.0), BOUND);
    assertThat(found.isKnown()).isFalse();
    assertThat(found.grows()).isFalse();
  }

  @Test
  void theSlopeOfTheilAndSenIsTheMedianOfAllSlopes() {
    // the slopes: 1, 1, 1, 33.3, 49.5, 98
    assertThat(Growth.slope(new double[] {0, 1, 2, 100})).isEqualTo((1 + 100.0 / 3) / 2);
  }
}
