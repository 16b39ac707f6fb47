package dev.sluice.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fixed-window 100/1m",
        "sliding-log 100/1500ms",
        "sliding-window 1000/1h slots 60",
        "token-bucket 10/1s burst 20",
        "leaky-bucket 1/1d burst 5",
        "gcra 3/10us burst 1 name fast",
        "expiring-window 5/1s shared",
        "sliding-window 60/1m slots 10 name requests per-call",
        "token-bucket 5/1s burst 5 shared per-call",
        "leaky-queue 5/100ms places 0"
      })
  void readsWhatItWrites(String text) {
    assertThat(Limit.parse(text)).hasToString(text);
  }

  @Test
  void methodsAndWordsMeanTheSame() {
    Duration minute = Duration.ofMinutes(1);
    assertThat(Limit.tokenBucket(30, minute).burst(15).name("day").shared())
        .isEqualTo(Limit.parse("token-bucket 30/1m burst 15 name day shared"));
    assertThat(Limit.leakyQueue(5, minute).places(0))
        .isEqualTo(Limit.parse("leaky-queue 5/1m places 0"));
    assertThat(Limit.slidingWindow(5, minute).slots(60))
        .isEqualTo(Limit.parse("sliding-window 5/1m slots 60"));
    for (Limit.Algorithm algorithm : Limit.Algorithm.values()) {
      assertThat(Limit.of(algorithm, 7, minute)).isEqualTo(Limit.parse(algorithm.word() + " 7/1m"));
    }
  }

  @Test
  void aMethodOfAnotherAlgorithmIsRefused() {
    Limit window = Limit.fixedWindow(3, Duration.ofMinutes(1));
    assertThatThrownBy(() -> window.burst(1)).hasMessage("'burst' does not belong to fixed-window");
    assertThatThrownBy(() -> window.places(1))
        .hasMessage("'places' does not belong to fixed-window");
    assertThatThrownBy(() -> window.slots(1)).hasMessage("'slots' does not belong to fixed-window");
  }

  @Test
  void anOddRateNeedsABurstThatCanBeCounted() {
    Limit odd = Limit.tokenBucket(999_983, Duration.ofDays(1));
    assertThat(RateLimiterOptions.of(odd.burst(10)).limits()).containsExactly(odd.burst(10));
    assertThatThrownBy(() -> RateLimiterOptions.of(odd))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be counted exactly");
    assertThatThrownBy(() -> odd.burst(999_983))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be counted exactly");
  }

  @Test
  void fillsInWhatIsLeftOut() {
    assertThat(Limit.parse("token-bucket 10/s"))
        .isEqualTo(Limit.tokenBucket(10, Duration.ofSeconds(1)));
    assertThat(Limit.parse(" Sliding-Window  100/m "))
        .isEqualTo(Limit.slidingWindow(100, Duration.ofMinutes(1)));
    assertThat(Limit.parse("leaky-queue 2/s"))
        .isEqualTo(Limit.leakyQueue(2, Duration.ofSeconds(1)).places(100));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "gcra | must have the form",
        "gcra ten | 'ten' is not a rate",
        "gcra 10/fortnight | is not a rate",
        "bucket 10/s | algorithm must be one of fixed-window",
        "gcra 10/s burst | 'burst' must be followed",
        "gcra 10/s burst -3 | '-3' is not a whole number",
        "fixed-window 10/s burst 3 | 'burst' does not belong to fixed-window",
        "leaky-queue 1/s per-call | per-call is for tiers",
        "gcra 0/s | count of gcra must be 1 to",
        "gcra 1/0s | period must be whole microseconds",
        "gcra 1/999999999999999d | the period is too long",
        "token-bucket 999983/1d burst 999983 | cannot be counted exactly"
      })
  void saysWhatIsWrong(String text, String why) {
    assertThatThrownBy(() -> Limit.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }
}
