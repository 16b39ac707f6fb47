package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRule;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The effect of a changed limit on a key. */
class LimitPolicyTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int CHANGES = 30_000;

  private static Limit any(Random random) {
    Limit.Algorithm[] kinds = LimitBoundsTest.algorithms().toArray(Limit.Algorithm[]::new);
    return RandomLimits.limit(random, kinds[random.nextInt(kinds.length)]);
  }

  private static double rate(Limit limit) {
    return (double) limit.count() / Admissions.micros(limit);
  }

  @ParameterizedTest
  @EnumSource(CarryOver.class)
  void raisingARateNeverMakesACallerWaitLonger(CarryOver carryOver) {
    int raised = 0;
    int waited = 0;
    for (int seed = 0; seed < CHANGES; seed++) {
      Random random = new Random(seed);
      Limit before = any(random);
      Limit after = random.nextInt(3) == 0 ? any(random) : similar(random, before);
      List<LimitRule> old = Tank.rules(1, carryOver, before);
      List<LimitRule> next = Tank.rules(2, carryOver, after);
      if (Meter.rate(next.get(0)) < Meter.rate(old.get(0))) {
        continue;
      }
      raised++;
      Tank tank = new Tank();
      spend(tank, random, before, old);
      long cost =
          1 + random.nextInt((int) Math.min(5, Math.min(before.capacity(), after.capacity())));
      LimitReply was = tank.peek(old, cost);
      LimitReply is = tank.peek(next, cost);
      waited += was.retry() > 0 ? 1 : 0;
      assertThat(is.retry())
          .as("%s to %s, cost %s, seed %s", before, after, cost, seed)
          .isLessThanOrEqualTo(was.retry());
    }
    assertThat(raised).isGreaterThan(CHANGES / 5);
    assertThat(waited).isGreaterThan(raised / 10);
  }

  /** The same algorithm with one or two numbers changed, as people do it. */
  private static Limit similar(Random random, Limit limit) {
    long more = 1 + random.nextInt(3);
    long capacity = random.nextBoolean() ? limit.capacity() * more : limit.capacity() + more;
    try {
      return limit.algorithm().isBucket()
          ? Limit.of(limit.algorithm(), limit.count() * more, limit.period()).burst(capacity)
          : slotted(Limit.of(limit.algorithm(), capacity, limit.period()), limit.slots());
    } catch (IllegalArgumentException e) {
      return limit;
    }
  }

  private static Limit slotted(Limit limit, int slots) {
    return slots == 0 ? limit : limit.slots(slots);
  }

  private static void spend(Tank tank, Random random, Limit limit, List<LimitRule> rules) {
    long retry = 0;
    for (int i = random.nextInt(40); i > 0; i--) {
      tank.now += RandomLimits.gap(random, limit, tank.now, retry);
      long cost = 1 + random.nextInt((int) Math.min(4, limit.capacity()));
      long wait = random.nextInt(6) == 0 ? Admissions.micros(limit) : 0;
      retry = tank.reserve(rules, cost, wait).retry();
    }
  }

  /** Whoever is refused after a change, and comes back in time, passes. */
  @Test
  void countGoesOnUnderTheNewPolicyEvenIfEverybodyIsRefused() {
    int refusals = 0;
    for (int seed = 0; seed < CHANGES; seed++) {
      Random random = new Random(seed);
      Limit before = any(random);
      List<LimitRule> old = Tank.rules(1, CarryOver.KEEP, before);
      List<LimitRule> next = Tank.rules(2, CarryOver.values()[seed % 3], any(random));
      Tank tank = new Tank();
      spend(tank, random, before, old);
      LimitReply reply = tank.take(next, 1);
      if (reply.granted() == 0) {
        refusals++;
        tank.now += reply.retry();
        assertThat(tank.take(next, 1).granted()).as("%s, seed %s", before, seed).isOne();
      }
    }
    assertThat(refusals).isGreaterThan(100);
  }

  /** An old process beside a new one gets the answers of the new one, and spoils none of them. */
  @Test
  void twoVersionsSideBySideAnswerAsTheNewerOne() {
    for (int seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      Limit before = any(random);
      Limit after = any(random);
      List<LimitRule> old = Tank.rules(6, CarryOver.PROPORTIONAL, before);
      List<LimitRule> next = Tank.rules(7, CarryOver.KEEP, after);
      Tank mixed = new Tank();
      Tank alone = new Tank();
      LimitReply first = mixed.take(next, 1);
      assertThat(alone.take(next, 1)).isEqualTo(first);
      long retry = 0;
      for (int i = 0; i < 50 && !alone.isEmpty(); i++) {
        long gap = RandomLimits.gap(random, after, alone.now, retry);
        mixed.now += gap;
        alone.now += gap;
        if (alone.isEmpty()) {
          break; // nothing is known of the newer version any more
        }
        LimitReply expected = alone.take(next, 1);
        retry = expected.retry();
        boolean older = random.nextBoolean();
        LimitReply answer = mixed.take(older ? old : next, 1);
        assertThat(answer.newerPolicy()).isEqualTo(older);
        assertThat(answer)
            .usingRecursiveComparison()
            .ignoringFields("newerPolicy")
            .as("%s beside %s, seed %s", before, after, seed)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void carryOversAreWhatTheirNamesSay() {
    Limit ten = Limit.tokenBucket(10, SECOND);
    Limit twenty = Limit.tokenBucket(20, SECOND);
    assertThat(leftAfterSeven(ten, twenty, CarryOver.KEEP)).isEqualTo(13);
    assertThat(leftAfterSeven(ten, twenty, CarryOver.PROPORTIONAL)).isEqualTo(6);
    assertThat(leftAfterSeven(ten, twenty, CarryOver.RESET)).isEqualTo(20);
    Limit window = Limit.slidingWindow(10, SECOND);
    Limit larger = Limit.slidingWindow(20, SECOND);
    assertThat(leftAfterSeven(window, larger, CarryOver.KEEP)).isEqualTo(13);
    assertThat(leftAfterSeven(window, larger, CarryOver.PROPORTIONAL)).isEqualTo(6);
    assertThat(leftAfterSeven(window, larger, CarryOver.RESET)).isEqualTo(20);
    Limit five = Limit.tokenBucket(5, SECOND);
    assertThat(leftAfterSeven(ten, five, CarryOver.KEEP)).isZero();
    assertThat(leftAfterSeven(ten, five, CarryOver.PROPORTIONAL)).isOne();
    assertThat(leftAfterSeven(ten, five, CarryOver.RESET)).isEqualTo(5);
  }

  private static long leftAfterSeven(Limit before, Limit after, CarryOver carryOver) {
    Tank tank = new Tank();
    tank.take(Tank.rules(1, carryOver, before), 7);
    return tank.peek(Tank.rules(2, carryOver, after), 1).remaining();
  }

  /** A cost that the newer, smaller policy never lets pass is refused to the older process. */
  @Test
  void costAboveTheNewerCapacityIsRefusedToTheOlderProcess() {
    Tank tank = new Tank();
    tank.take(Tank.rules(2, CarryOver.KEEP, Limit.tokenBucket(5, SECOND)), 1);
    LimitReply reply =
        tank.reserve(Tank.rules(1, CarryOver.KEEP, Limit.tokenBucket(10, SECOND)), 8, 60_000_000);
    assertThat(reply.granted()).isZero();
    assertThat(reply.retry()).isPositive();
    assertThat(reply.limit()).isEqualTo(5);
  }

  /** What was promised under the old numbers stays counted under the new ones. */
  @Test
  void placesThatWerePromisedCountUnderTheNewPolicy() {
    Limit before = Limit.tokenBucket(10, SECOND);
    Limit after = Limit.tokenBucket(11, SECOND).burst(10);
    Tank tank = new Tank();
    List<LimitRule> old = Tank.rules(1, CarryOver.KEEP, before);
    List<LimitRule> next = Tank.rules(2, CarryOver.KEEP, after);
    Admissions admissions = new Admissions();
    for (int i = 0; i < 50; i++) {
      LimitReply reply = tank.reserve(old, 1, 10_000_000);
      admissions.add(tank.now + reply.delay(), 1);
    }
    for (int i = 0; i < 50; i++) {
      LimitReply reply = tank.reserve(next, 1, 10_000_000);
      admissions.add(tank.now + reply.delay(), 1);
    }
    admissions.check(after);
  }
}
