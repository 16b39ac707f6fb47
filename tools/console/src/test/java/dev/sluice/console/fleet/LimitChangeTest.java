package dev.sluice.console.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The factor by which another policy admits more. */
class LimitChangeTest {

  @ParameterizedTest
  @CsvSource({
    "fixed-window 5/1m, fixed-window 5/1m, 1",
    "fixed-window 5/1m, fixed-window 50/1m, 10",
    "fixed-window 50/1m, fixed-window 5/1m, 0.1",
    "fixed-window 60/1m, fixed-window 60/1s, 60",
    "token-bucket 1/s burst 1, token-bucket 1/s burst 30, 30",
    "token-bucket 1/s burst 30, token-bucket 20/s burst 30, 20",
    // a tier that is dropped no longer holds the others back
    "fixed-window 10/1s + fixed-window 100/1h, fixed-window 10/1s, 360",
    "fixed-window 10/1s + fixed-window 500/1s shared, fixed-window 10/1s, Infinity",
    "fixed-window 10/1s, fixed-window 10/1s + fixed-window 500/1s shared, 1",
    "something of a later version, fixed-window 1/1h, Infinity",
  })
  void itIsCountedOnTheTightestTier(String before, String after, double growth) {
    double counted =
        LimitChange.growth(
            List.of(before.split(" \\+ ")), LimitChange.tiers(List.of(after.split(" \\+ "))));
    if (Double.isInfinite(growth)) {
      assertThat(counted).isInfinite();
    } else {
      assertThat(counted).isEqualTo(growth, within(1e-9));
    }
  }
}
