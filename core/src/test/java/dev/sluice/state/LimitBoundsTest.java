package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every algorithm over random schedules, judged by {@link Admissions}. */
class LimitBoundsTest {
  private static final int LIMITS = 400;
  private static final int CALLS = 300;

  static Stream<Limit.Algorithm> algorithms() {
    return Stream.of(Limit.Algorithm.values()).filter(a -> a != Limit.Algorithm.LEAKY_QUEUE);
  }

  /** Nothing too much, and nothing less than the definition lets through. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void admitsExactlyWhatTheDefinitionAdmits(Limit.Algorithm algorithm) {
    for (int seed = 0; seed < LIMITS; seed++) {
      Random random = new Random(seed);
      Limit limit = RandomLimits.limit(random, algorithm);
      List<LimitRule> rules = Tank.rules(limit);
      Admissions.Ideal ideal = Admissions.Ideal.of(limit);
      Admissions admissions = new Admissions();
      Tank tank = new Tank();
      long retry = 0;
      for (int call = 0; call < CALLS; call++) {
        tank.now += RandomLimits.gap(random, limit, tank.now, retry);
        long cost = 1 + random.nextInt((int) Math.min(limit.capacity(), 4));
        LimitReply reply = tank.take(rules, cost);
        boolean passes = reply.granted() == 1;
        retry = reply.retry();
        if (algorithm == Limit.Algorithm.SLIDING_WINDOW) {
          if (!passes) { // late by a slot at most
            long slot = rules.get(0).scale();
            long seen = slot * (limit.slots() + 1);
            assertThat(admissions.usedIn(tank.now - seen, tank.now) + cost)
                .as("%s, seed %s, call %s", limit, seed, call)
                .isGreaterThan(limit.capacity());
          }
        } else {
          assertThat(passes)
              .as("%s, seed %s, call %s", limit, seed, call)
              .isEqualTo(ideal.admits(tank.now, cost));
        }
        if (passes) {
          admissions.add(tank.now, cost);
        }
      }
      admissions.check(limit);
    }
  }

  /** Not a microsecond too early, not one too late. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void retryAfterIsExact(Limit.Algorithm algorithm) {
    int refusals = 0;
    for (int seed = 0; seed < LIMITS; seed++) {
      Random random = new Random(seed);
      Limit limit = RandomLimits.limit(random, algorithm);
      List<LimitRule> rules = Tank.rules(limit);
      Tank tank = new Tank();
      long retry = 0;
      for (int call = 0; call < CALLS / 3; call++) {
        tank.now += RandomLimits.gap(random, limit, tank.now, retry);
        long cost = 1 + random.nextInt((int) Math.min(limit.capacity(), 4));
        LimitReply reply =
            random.nextInt(10) == 0
                ? tank.reserve(rules, cost, random.nextInt(3) * Admissions.micros(limit))
                : tank.take(rules, cost);
        retry = reply.retry();
        String what = limit + ", seed " + seed + ", call " + call;
        assertThat(reply.remaining()).as(what).isBetween(0L, limit.capacity());
        if (reply.granted() == 0) {
          refusals++;
          assertThat(retry).as(what).isPositive();
          assertThat(tank.peekAt(tank.now + retry - 1, rules, cost).granted()).as(what).isZero();
          assertThat(tank.peekAt(tank.now + retry, rules, cost).granted()).as(what).isOne();
        } else {
          assertThat(retry).as(what).isZero();
        }
        LimitReply full = tank.peekAt(tank.now + reply.reset(), rules, limit.capacity());
        assertThat(full.granted()).as(what).isOne();
        assertThat(full.remaining()).as(what).isEqualTo(limit.capacity());
        if (reply.reset() > 0) {
          LimitReply before = tank.peekAt(tank.now + reply.reset() - 1, rules, limit.capacity());
          assertThat(before.reset()).as(what).isOne();
        }
      }
    }
    assertThat(refusals).isGreaterThan(LIMITS);
  }

  /** Places in the future and permits that come back, by whoever knows when they were taken. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void placesAndGiveBacksNeverBreakTheBound(Limit.Algorithm algorithm) {
    for (int seed = 0; seed < LIMITS; seed++) {
      Random random = new Random(seed);
      Limit limit = RandomLimits.limit(random, algorithm);
      List<LimitRule> rules = Tank.rules(limit);
      boolean backs = algorithm != Limit.Algorithm.EXPIRING_WINDOW || random.nextBoolean();
      Admissions admissions = new Admissions();
      List<Admissions.Use> recent = new ArrayList<>();
      Tank tank = new Tank();
      long retry = 0;
      for (int call = 0; call < CALLS; call++) {
        tank.now += RandomLimits.gap(random, limit, tank.now, retry);
        long cost = 1 + random.nextInt((int) Math.min(limit.capacity(), 4));
        if (backs && !recent.isEmpty() && random.nextInt(4) == 0) {
          Admissions.Use unused = recent.remove(random.nextInt(recent.size()));
          long most = limit.capacity();
          LimitReply reply = tank.giveBack(rules, unused.amount(), unused.time());
          admissions.remove(unused);
          assertThat(reply.remaining()).isBetween(0L, most);
        } else {
          long maxWait =
              random.nextInt(3) == 0
                  ? (long) (random.nextDouble() * 3 * Admissions.micros(limit))
                  : 0;
          LimitReply reply = tank.reserve(rules, cost, maxWait);
          retry = reply.retry();
          if (reply.granted() == 1) {
            assertThat(reply.delay()).isLessThanOrEqualTo(maxWait);
            Admissions.Use use = admissions.add(tank.now + reply.delay(), cost);
            if (reply.delay() == 0) {
              recent.add(use);
            }
          }
        }
      }
      if (algorithm != Limit.Algorithm.EXPIRING_WINDOW || !backs) {
        admissions.check(limit);
      }
    }
  }

  /** Calls that are decided together are decided as if they came one by one. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void togetherIsTheSameAsOneByOne(Limit.Algorithm algorithm) {
    for (int seed = 0; seed < LIMITS; seed++) {
      Random random = new Random(seed);
      Limit limit = RandomLimits.limit(random, algorithm);
      List<LimitRule> rules = Tank.rules(limit);
      Tank together = new Tank();
      Tank single = new Tank();
      for (int call = 0; call < CALLS / 3; call++) {
        together.now += RandomLimits.gap(random, limit, together.now, 0);
        single.now = together.now;
        long cost = 1 + random.nextInt((int) Math.min(limit.capacity(), 4));
        int times = 1 + random.nextInt(6);
        LimitReply reply = together.decide(LimitRequest.Verb.TAKE, rules, cost, times, 0, 0);
        int passed = 0;
        LimitReply last = single.take(rules, cost);
        passed += last.granted();
        for (int i = 1; i < times; i++) {
          last = single.take(rules, cost);
          passed += last.granted();
        }
        assertThat(reply.granted()).as("%s, seed %s", limit, seed).isEqualTo(passed);
        assertThat(reply.remaining()).isEqualTo(last.remaining());
        assertThat(reply.retry()).isEqualTo(last.retry());
        assertThat(reply.reset()).isEqualTo(last.reset());
      }
    }
  }
}
