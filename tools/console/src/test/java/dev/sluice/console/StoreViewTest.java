package dev.sluice.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreViewTest {
  private long now;
  private Duration walk = Duration.ZERO;
  private int walks;
  private final StoreView.Names names =
      new StoreView.Names(
          most -> {
            walks++;
            pass(walk);
            return List.of("name-" + walks);
          },
          () -> now);

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void namesAreLookedForAgainAfterTwoSeconds() {
    assertThat(names.now().list()).containsExactly("name-1");
    pass(Duration.ofMillis(1_999));
    assertThat(names.now().list()).containsExactly("name-1");
    pass(Duration.ofMillis(1));
    assertThat(names.now().list()).containsExactly("name-2");
  }

  @Test
  void aStoreThatWalksForLongIsAskedSeldom() {
    walk = Duration.ofSeconds(1);
    names.now();
    pass(Duration.ofSeconds(2));
    names.now();
    pass(Duration.ofMillis(19_999));
    assertThat(names.now().list()).containsExactly("name-2");
    pass(Duration.ofMillis(1));
    assertThat(names.now().list()).containsExactly("name-3");
  }

  @Test
  void oneLongPauseHidesNewNamesNoLonger() {
    names.now();
    for (int i = 2; i <= 4; i++) {
      pass(Duration.ofSeconds(2));
      walk = i == 3 ? Duration.ofSeconds(30) : Duration.ofMillis(1);
      assertThat(names.now().list()).containsExactly("name-" + i);
    }
  }
}
