package dev.sluice.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockOptionsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void accessorsOfBoundsThatAreNotSetAreEmpty() {
    assertThat(LockOptions.defaults().maxHold()).isEmpty();
    assertThat(LockOptions.defaults().sticky()).isEmpty();
    LockOptions both = LockOptions.defaults().maxHold(MINUTE).sticky(Duration.ofSeconds(2));
    assertThat(both.maxHold()).contains(MINUTE);
    assertThat(both.sticky()).contains(Duration.ofSeconds(2));
    assertThat(both)
        .isEqualTo(LockOptions.defaults().sticky(Duration.ofSeconds(2)).maxHold(MINUTE))
        .isNotEqualTo(LockOptions.defaults().maxHold(MINUTE));
  }
}
