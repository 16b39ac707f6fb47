package dev.sluice.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

  @ParameterizedTest
  @CsvSource({
    "0s, 0",
    "250ms, 250",
    "10s, 10000",
    "2m, 120000",
    "1h, 3600000",
    "1d, 86400000",
    "10S, 10000",
    "PT1H30M, 5400000",
    "pt0.5s, 500"
  })
  void readsNumberAndUnitAndIso(String text, long millis) {
    assertThat(DurationText.parse(text)).contains(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10",
        "s",
        "-5s",
        "1.5s",
        "10 s",
        "10sec",
        "1h30m",
        "PT",
        "999999999999999999d",
        "9999999999999999999s",
        "١s"
      })
  void refusesAnythingElse(String text) {
    assertThat(DurationText.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "-5, 0ms",
    "999, 999ms",
    "1000, 1.0s",
    "59999, 59.9s",
    "60000, 1m00s",
    "3599999, 59m59s",
    "3600000, 1h00m",
    "90000000, 1d01h"
  })
  void writesWhatAGlanceTakesIn(long millis, String text) {
    assertThat(DurationText.brief(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @Test
  void writesAnEndlessOneToo() {
    assertThat(DurationText.brief(Duration.ofMillis(Long.MAX_VALUE))).endsWith("h");
  }
}
