package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The estimate of the store's clock in a process. */
class StoreClockTest {
  private static final long SERVER = 1_795_201_234_567_890L;

  private long nanos = -5_000_000_000L;
  private final StoreClock clock = new StoreClock(() -> nanos);

  private void pass(long micros) {
    nanos += TimeUnit.MICROSECONDS.toNanos(micros);
  }

  @Test
  void isAskedUntilItIsKnownAndAgainWhenItIsOld() {
    assertThat(clock.isKnown()).isFalse();
    assertThat(clock.isDue()).isTrue();
    assertThat(clock.isDue()).isTrue();
    clock.heard(SERVER, nanos);
    assertThat(clock.isKnown()).isTrue();
    assertThat(clock.isDue()).isFalse();
    pass(9_999_999);
    assertThat(clock.isDue()).isFalse();
    pass(1);
    assertThat(clock.isDue()).isTrue();
    assertThat(clock.isDue()).as("somebody has just asked").isFalse();
    pass(1_000_000);
    assertThat(clock.isDue()).as("no reply came").isTrue();
    clock.heard(SERVER + 11_000_000, nanos);
    assertThat(clock.isDue()).isFalse();
  }

  @Test
  void isNeverAheadOfTheStoreWhateverTheRepliesTake() {
    SplittableRandom random = new SplittableRandom(11);
    long server = SERVER;
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < 10_000; i++) {
      long onItsWay = 50 + random.nextLong(random.nextInt(10) == 0 ? 100_000 : 500);
      long said = server;
      server += onItsWay;
      long sentAt = nanos;
      pass(onItsWay);
      clock.heard(said, sentAt);
      shortest = Math.min(shortest, onItsWay);
      assertThat(clock.now()).isBetween(server - 100_050, server);
      long rest = random.nextLong(1000);
      server += rest;
      pass(rest);
      assertThat(clock.now()).isLessThanOrEqualTo(server);
    }
    assertThat(clock.now()).isGreaterThanOrEqualTo(server - 1000);
  }

  @Test
  void followsAStepOfTheStoresClock() {
    clock.heard(SERVER, nanos);
    pass(1000);
    clock.heard(SERVER + 60_000_000, nanos);
    assertThat(clock.now()).isEqualTo(SERVER + 60_000_000);
    long sentAt = nanos;
    pass(1000);
    clock.heard(SERVER, sentAt);
    assertThat(clock.now()).as("back, at once").isEqualTo(SERVER);
    pass(10_000_000);
    clock.heard(SERVER + 9_000_000, Long.MIN_VALUE / 2);
    assertThat(clock.now()).as("what is old is replaced").isEqualTo(SERVER + 9_000_000);
  }
}
