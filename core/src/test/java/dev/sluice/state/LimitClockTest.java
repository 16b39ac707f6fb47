package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRule;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The store's clock steps; nobody is locked out for longer than a full count takes to drain. */
class LimitClockTest {
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);

  @ParameterizedTest
  @MethodSource("dev.sluice.state.LimitBoundsTest#algorithms")
  void stepsOfAnHourLockNobodyOut(Limit.Algorithm algorithm) {
    for (int seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      Limit limit = RandomLimits.limit(random, algorithm);
      List<LimitRule> rules = Tank.rules(limit);
      long longest = fullTime(rules);
      Tank tank = new Tank();
      long retry = 0;
      for (int call = 0; call < 60; call++) {
        tank.now += RandomLimits.gap(random, limit, tank.now, retry);
        if (random.nextInt(10) == 0) {
          boolean forward = random.nextBoolean();
          tank.now += forward ? HOUR : -HOUR;
          longest += forward ? 0 : restOfAStep(rules.get(0));
        }
        LimitReply reply = tank.take(rules, 1);
        retry = reply.retry();
        assertThat(reply.retry())
            .as("%s, seed %s, call %s", limit, seed, call)
            .isLessThanOrEqualTo(longest);
        assertThat(reply.reset()).isLessThanOrEqualTo(longest);
        assertThat(reply.remaining()).isBetween(0L, limit.capacity());
      }
    }
  }

  /** Windows and slots go back whole; by what is left of a step, less than one, they lie ahead. */
  private static long restOfAStep(LimitRule rule) {
    return switch (rule.kind()) {
      case FIXED_WINDOW, SLIDING_WINDOW -> rule.scale();
      default -> 0;
    };
  }

  private static long fullTime(List<LimitRule> rules) {
    LimitRule rule = rules.get(0);
    return switch (rule.kind()) {
      case BUCKET -> Meter.ceilDiv(rule.capacity() * rule.step(), rule.scale());
      case SLIDING_WINDOW -> rule.scale() * (rule.step() + 1);
      default -> rule.scale();
    };
  }

  /** What was spent stays spent when the clock goes back. */
  @ParameterizedTest
  @MethodSource("dev.sluice.state.LimitBoundsTest#algorithms")
  void stepBackIsCountedAndKeepsWhatWasSpent(Limit.Algorithm algorithm) {
    Limit limit = Limit.of(algorithm, 10, Duration.ofSeconds(1));
    List<LimitRule> rules = Tank.rules(limit);
    Tank tank = new Tank();
    tank.take(rules, 10);
    tank.now -= HOUR;
    LimitReply refused = tank.take(rules, 1);
    assertThat(refused.granted()).isZero();
    assertThat(refused.clockSteps()).isOne();
    assertThat(refused.retry()).isBetween(1L, fullTime(rules));
    tank.now += refused.retry();
    assertThat(tank.take(rules, 1).granted()).isOne();
    tank.now += fullTime(rules);
    LimitReply later = tank.take(rules, 1);
    assertThat(later.granted()).isOne();
    assertThat(later.clockSteps()).isZero();
  }

  /** Promised places move with the clock, and are kept apart from it. */
  @Test
  void placesSurviveAStepBack() {
    List<LimitRule> rules = Tank.rules(Limit.tokenBucket(10, Duration.ofSeconds(1)));
    Tank tank = new Tank();
    for (int i = 0; i < 30; i++) {
      assertThat(tank.reserve(rules, 1, 10_000_000).granted()).isOne();
    }
    tank.now -= HOUR;
    LimitReply reply = tank.reserve(rules, 1, 10_000_000);
    assertThat(reply.delay()).isEqualTo(2_100_000);
    assertThat(reply.clockSteps()).isOne();
  }

  /** A step across an edge, however small, must not make two windows or slots of one. */
  @Test
  void smallStepBackAcrossAnEdgeAdmitsNoMore() {
    long edge = 1_767_225_600_000_000L;
    Tank fixed = new Tank();
    List<LimitRule> tenInAWindow = Tank.rules(Limit.fixedWindow(10, Duration.ofSeconds(1)));
    fixed.now = edge - 2;
    int admitted = fixed.take(tenInAWindow, 10).granted() * 10;
    fixed.now = edge + 1;
    admitted += fixed.take(tenInAWindow, 10).granted() * 10;
    fixed.now = edge - 1;
    admitted += fixed.take(tenInAWindow, 10).granted() * 10;
    fixed.now = edge;
    admitted += fixed.take(tenInAWindow, 10).granted() * 10;
    assertThat(admitted).isEqualTo(20);

    Tank sliding = new Tank();
    List<LimitRule> tenAtAnyTime = Tank.rules(Limit.slidingWindow(10, Duration.ofSeconds(1)));
    sliding.now = edge - 1;
    assertThat(sliding.take(tenAtAnyTime, 9).granted()).isEqualTo(1);
    sliding.now = edge + 1;
    assertThat(sliding.take(tenAtAnyTime, 1).granted()).isEqualTo(1);
    sliding.now = edge - 1;
    assertThat(sliding.take(tenAtAnyTime, 1).granted()).isZero();
    sliding.now = edge + 999_000;
    assertThat(sliding.take(tenAtAnyTime, 9).granted()).isZero();
  }
}
