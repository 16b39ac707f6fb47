package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ManualTimeTest {
  private final ManualTime time = new ManualTime();

  @Test
  void standsStillUntilItIsMoved() {
    long nanos = time.nanos();
    long micros = time.storeMicros();
    assertThat(time.nanos()).isEqualTo(nanos);
    time.advance(Duration.ofMillis(5));
    assertThat(time.nanos() - nanos).isEqualTo(5_000_000);
    assertThat(time.storeMicros() - micros).isEqualTo(5_000);
  }

  @Test
  void storeClockStepsAlone() {
    long nanos = time.nanos();
    long micros = time.storeMicros();
    time.stepStoreClock(Duration.ofHours(-1));
    assertThat(time.storeMicros() - micros).isEqualTo(-3_600_000_000L);
    assertThat(time.nanos()).isEqualTo(nanos);
  }

  @Test
  void runsEachTaskAtItsOwnMoment() {
    List<Long> moments = new ArrayList<>();
    time.schedule(() -> moments.add(time.nanos()), 30);
    time.schedule(
        () -> {
          moments.add(time.nanos());
          time.schedule(() -> moments.add(time.nanos()), 5);
        },
        10);
    Runnable cancel = time.schedule(() -> moments.add(-1L), 20);
    cancel.run();
    cancel.run();
    time.advance(Duration.ofNanos(29));
    assertThat(moments).containsExactly(10L, 15L);
    time.advance(Duration.ofNanos(1));
    assertThat(moments).containsExactly(10L, 15L, 30L);
  }

  @Test
  void doesNotGoBack() {
    assertThatThrownBy(() -> time.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("time must not go back: PT-0.000000001S");
  }

  @Test
  void wakesParkedThreads() throws Exception {
    Thread parked =
        new Thread(
            () -> {
              long until = time.nanos() + 1000;
              while (time.nanos() < until) {
                time.park(this, until - time.nanos());
              }
            });
    parked.setDaemon(true);
    parked.start();
    await().atMost(ONE_MINUTE).until(() -> parked.getState() == Thread.State.WAITING);
    time.advance(Duration.ofNanos(999));
    assertThat(parked.isAlive()).isTrue();
    time.advance(Duration.ofNanos(1));
    parked.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(parked.isAlive()).isFalse();
  }
}
