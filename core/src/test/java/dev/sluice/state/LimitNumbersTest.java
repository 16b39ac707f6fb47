package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The edges of what numbers can say, and several limits at once. */
class LimitNumbersTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Ten million calls, each at the first moment it passes; not one permit too many or too few. */
  @ParameterizedTest
  @ValueSource(strings = {"gcra 7/3us", "gcra 999983/7s burst 1000", "token-bucket 3/1s"})
  void bucketDoesNotDriftOverTenMillionCalls(String text) {
    Limit limit = Limit.parse(text);
    List<LimitRule> rules = Tank.rules(limit);
    LimitRequest request =
        new LimitRequest(LimitRequest.Verb.TAKE, "limiter", "key", rules, 1, 1, 0, 0);
    LimitState.Cell[] cells = {new LimitState.Cell()};
    long now = Tank.EPOCH;
    long admitted = 0;
    for (int call = 0; call < 10_000_000; call++) {
      LimitReply reply = LimitState.decide(now, request, cells);
      admitted += reply.granted();
      now += reply.retry();
    }
    // floor(w * count / period) + capacity, in whole numbers
    long span = now - Tank.EPOCH;
    long period = Admissions.micros(limit);
    long most =
        java.math.BigInteger.valueOf(span)
                .multiply(java.math.BigInteger.valueOf(limit.count()))
                .divide(java.math.BigInteger.valueOf(period))
                .longValueExact()
            + limit.capacity();
    LimitReply end = LimitState.decide(now, request, cells);
    admitted += end.granted();
    assertThat(admitted).isLessThanOrEqualTo(most);
    assertThat(most - admitted).isEqualTo(end.remaining());
  }

  @Test
  void onePerDayAndAMillionPerSecond() {
    List<LimitRule> daily = Tank.rules(Limit.gcra(1, Duration.ofDays(1)));
    Tank day = new Tank();
    assertThat(day.take(daily, 1).granted()).isOne();
    assertThat(day.take(daily, 1).retry()).isEqualTo(TimeUnit.DAYS.toMicros(1));

    List<LimitRule> fast = Tank.rules(Limit.gcra(1_000_000, SECOND).burst(1));
    Tank tank = new Tank();
    for (int i = 0; i < 1000; i++) {
      assertThat(tank.take(fast, 1).granted()).isOne();
      LimitReply refused = tank.take(fast, 1);
      assertThat(refused.granted()).isZero();
      assertThat(refused.retry()).isOne();
      tank.now++;
    }
  }

  static List<Limit> huge() {
    long most = 1_000_000_000_000L;
    return List.of(
        Limit.fixedWindow(most, Duration.ofDays(366)),
        Limit.expiringWindow(most, Duration.ofDays(366)),
        Limit.slidingWindow(most, Duration.ofDays(366)).slots(100),
        Limit.slidingLog(100_000, Duration.ofDays(366)),
        Limit.tokenBucket(most, Duration.ofSeconds(1000)),
        Limit.gcra(1_000_000, SECOND).burst(most),
        Limit.leakyBucket(1, Duration.ofDays(366)).burst(142));
  }

  @ParameterizedTest
  @MethodSource("huge")
  void largestNumbersStayExact(Limit limit) {
    for (int version : new int[] {0, 65_535}) {
      List<LimitRule> rules = Tank.rules(version, CarryOver.KEEP, limit);
      Tank tank = new Tank();
      LimitReply all = tank.take(rules, limit.capacity() - 1);
      assertThat(all.granted()).isOne();
      assertThat(all.remaining()).isOne();
      assertThat(tank.take(rules, 2).granted()).isZero();
      assertThat(tank.take(rules, 1).granted()).isOne();
      assertThat(tank.take(rules, 1).granted()).isZero();
      tank.giveBack(rules, limit.capacity(), 0);
      assertThat(tank.peek(rules, 1).remaining()).isEqualTo(limit.capacity());
      assertThat(tank.take(rules, limit.capacity()).granted()).isOne();
      assertThat(tank.reserve(rules, limit.capacity(), Long.MAX_VALUE).reset())
          .isLessThan(1L << 53);
    }
  }

  /** Waits are promised up to the horizon, however often somebody asks. */
  @ParameterizedTest
  @MethodSource("huge")
  void promisesNeverOverflow(Limit limit) {
    List<LimitRule> rules = Tank.rules(limit);
    Tank tank = new Tank();
    long last = 0;
    for (int i = 0; i < 200; i++) {
      LimitReply reply = tank.reserve(rules, limit.capacity(), Long.MAX_VALUE);
      assertThat(reply.reset()).isBetween(0L, 1L << 53);
      if (reply.granted() == 1) {
        assertThat(reply.delay()).isBetween(last, rules.get(0).horizonMicros());
        last = reply.delay();
      } else {
        assertThat(reply.retry()).isPositive();
      }
    }
  }

  @Test
  void giveBackNeverGoesAboveTheCapacity() {
    LimitBoundsTest.algorithms()
        .forEach(
            algorithm -> {
              Random random = new Random(algorithm.ordinal());
              for (int i = 0; i < 500; i++) {
                Limit limit = RandomLimits.limit(random, algorithm);
                List<LimitRule> rules = Tank.rules(limit);
                Tank tank = new Tank();
                for (int call = 0; call < 30; call++) {
                  tank.now += RandomLimits.gap(random, limit, tank.now, 0);
                  LimitReply reply =
                      random.nextBoolean()
                          ? tank.take(rules, 1)
                          : tank.giveBack(rules, 1 + random.nextInt(100), 0);
                  assertThat(reply.remaining()).isBetween(0L, limit.capacity());
                }
              }
            });
  }

  /** Every tier keeps its bound; a refusal leaves no trace in any. */
  @Test
  void tiersAreSpentTogetherOrNotAtAll() {
    int refusals = 0;
    for (int seed = 0; seed < 1000; seed++) {
      Random random = new Random(seed);
      List<Limit> limits = new ArrayList<>();
      Limit.Algorithm[] kinds = LimitBoundsTest.algorithms().toArray(Limit.Algorithm[]::new);
      for (int i = 0; i <= random.nextInt(3) + 1; i++) {
        limits.add(RandomLimits.limit(random, kinds[random.nextInt(kinds.length)]));
      }
      List<LimitRule> rules = Tank.rules(limits.toArray(new Limit[0]));
      long capacity = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
      Admissions admissions = new Admissions();
      Tank tank = new Tank();
      boolean waits = random.nextBoolean();
      long retry = 0;
      for (int call = 0; call < 150; call++) {
        Limit edge = limits.get(random.nextInt(limits.size()));
        tank.now += RandomLimits.gap(random, edge, tank.now, retry);
        long cost = 1 + random.nextInt((int) Math.min(capacity, 3));
        long wait = waits && random.nextInt(4) == 0 ? random.nextInt(2_000_000) : 0;
        Tank before = tank.copy();
        LimitReply reply = tank.reserve(rules, cost, wait);
        retry = reply.retry();
        if (reply.granted() == 1) {
          admissions.add(tank.now + reply.delay(), cost);
          continue;
        }
        refusals++;
        for (int tier = 0; tier < rules.size(); tier++) {
          assertThat(tank.bytes(tier))
              .as("%s, seed %s", limits, seed)
              .isEqualTo(before.bytes(tier));
        }
        assertThat(tank.peekAt(tank.now + retry - 1, rules, cost).granted()).isZero();
        assertThat(tank.peekAt(tank.now + retry, rules, cost).granted()).isOne();
      }
      limits.forEach(admissions::check);
    }
    assertThat(refusals).isGreaterThan(1000);
  }

  @Test
  void lookingAndRefusingWriteNothing() {
    for (Limit limit : huge()) {
      List<LimitRule> rules = Tank.rules(limit);
      Tank tank = new Tank();
      tank.peek(rules, 1);
      tank.take(rules, 0);
      assertThat(tank.bytes(0)).isNull();
      tank.take(rules, limit.capacity());
      byte[] kept = tank.bytes(0);
      tank.take(rules, 1);
      tank.peek(rules, 1);
      assertThat(tank.bytes(0)).isEqualTo(kept);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "12", "17672256000000000000000", "-1767225600000000", "a number", "999"})
  void textThatIsNoTimeIsForeign(String text) {
    LimitState.Cell cell = new LimitState.Cell();
    cell.bytes = text.getBytes(StandardCharsets.UTF_8);
    cell.expiresAt = Long.MAX_VALUE;
    for (Limit limit : huge()) {
      byte[] kept = cell.bytes.clone();
      LimitRequest request =
          new LimitRequest(LimitRequest.Verb.TAKE, "limiter", "key", Tank.rules(limit), 1, 1, 0, 0);
      assertThatThrownBy(() -> LimitState.decide(Tank.EPOCH, request, new LimitState.Cell[] {cell}))
          .as("%s for %s", text, limit)
          .isInstanceOf(ForeignDataException.class);
      assertThat(cell.bytes).isEqualTo(kept);
    }
  }

  /** Whatever the bytes, the answer is a decision or a word about foreign data. */
  @Test
  void bytesThatAreNotOursAreNeverAnArithmeticFailure() {
    Random random = new Random(5);
    for (int i = 0; i < 200_000; i++) {
      LimitState.Cell cell = new LimitState.Cell();
      cell.bytes = new byte[random.nextInt(60)];
      random.nextBytes(cell.bytes);
      if (cell.bytes.length > 0 && random.nextBoolean()) {
        cell.bytes[0] = (byte) (1 + random.nextInt(5));
      }
      cell.expiresAt = Long.MAX_VALUE;
      Limit limit = huge().get(random.nextInt(7));
      LimitRequest request =
          new LimitRequest(LimitRequest.Verb.PEEK, "limiter", "key", Tank.rules(limit), 1, 1, 0, 0);
      try {
        LimitState.decide(Tank.EPOCH, request, new LimitState.Cell[] {cell});
      } catch (ForeignDataException e) {
        assertThat(e).hasMessageContaining("tier '1'");
      }
    }
  }
}
