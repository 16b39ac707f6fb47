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
        "leaky-queue 5/100ms places 0"
      })
  void readsWhatItWrites(String text) {
    assertThat(Limit.parse(text)).hasToString(text);
  }

  @Test
  void fillsInWhatIsLeftOut() {
    assertThat(Limit.parse("token-bucket 10/s"))
        .isEqualTo(Limit.tokenBucket(10, 10, Duration.ofSeconds(1)));
    assertThat(Limit.parse(" Sliding-Window  100/m "))
        .isEqualTo(Limit.slidingWindow(100, Duration.ofMinutes(1)));
    assertThat(Limit.parse("leaky-queue 2/s"))
        .isEqualTo(Limit.leakyQueue(2, Duration.ofSeconds(1), 100));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "gcra | must have the form",
        "gcra ten | 'ten' is no rate",
        "gcra 10/fortnight | is no rate",
        "bucket 10/s | algorithm must be one of fixed-window",
        "gcra 10/s burst | 'burst' must be followed",
        "gcra 10/s burst -3 | '-3' is no whole number",
        "fixed-window 10/s burst 3 | 'burst' does not belong to fixed-window",
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
