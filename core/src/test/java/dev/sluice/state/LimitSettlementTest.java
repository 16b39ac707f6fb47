package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Settlement;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The arithmetic of uses that are settled later; the bounds are judged by {@link Admissions}. */
class LimitSettlementTest {
  private static final int LIMITS = 300;
  private static final int CALLS = 250;
  private static final long SECOND = 1_000_000;
  private static final Duration SECONDS = Duration.ofSeconds(10);

  /** A use under way, or over. */
  private static final class Use {
    final String id;
    final long begunAt;
    final long estimate;
    final long actual;
    Admissions.Use counted;

    Use(String id, long begunAt, long estimate, long actual, Admissions.Use counted) {
      this.id = id;
      this.begunAt = begunAt;
      this.estimate = estimate;
      this.actual = actual;
      this.counted = counted;
    }

    long over() {
      return Math.max(0, actual - estimate);
    }
  }

  static Stream<Limit.Algorithm> algorithms() {
    return LimitBoundsTest.algorithms();
  }

  private static Stream<Limit> each() {
    return algorithms().map(algorithm -> Limit.of(algorithm, 10, SECONDS));
  }

  /**
   * What uses have really cost stays within the bound, in every span, when nothing was estimated
   * too low: what goes back late never lets others pass a second time.
   */
  @ParameterizedTest
  @MethodSource("algorithms")
  void estimatesThatAreTooHighNeverBreakTheBound(Limit.Algorithm algorithm) {
    if (algorithm != Limit.Algorithm.EXPIRING_WINDOW) { // a window that is given back has not been
      assertBound(algorithm, 9, false);
    }
  }

  /** One use at a time: the bound is the capacity and the largest estimate that was too low. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void oneUseAtATimeExceedsTheBoundByTheLargestUnderEstimate(Limit.Algorithm algorithm) {
    if (algorithm != Limit.Algorithm.EXPIRING_WINDOW) {
      assertBound(algorithm, 1, true);
    }
  }

  /** Many at a time: what those under way together were estimated too low comes on top. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void usesUnderWayExceedTheBoundByTheirUnderEstimates(Limit.Algorithm algorithm) {
    if (algorithm != Limit.Algorithm.EXPIRING_WINDOW) {
      assertBound(algorithm, 6, true);
    }
  }

  private static void assertBound(Limit.Algorithm algorithm, int mostUnderWay, boolean tooLow) {
    long beyond = 0;
    int settled = 0;
    for (int seed = 0; seed < LIMITS; seed++) {
      Random random = new Random(seed);
      Limit limit = RandomLimits.limit(random, algorithm);
      List<LimitRule> rules = Tank.rules(limit);
      Admissions admissions = new Admissions();
      List<Use> underWay = new ArrayList<>();
      Tank tank = new Tank();
      long retry = 0;
      long most = 0;
      for (int call = 0; call < CALLS; call++) {
        tank.now += RandomLimits.gap(random, limit, tank.now, retry);
        underWay.removeIf(use -> tank.now - use.begunAt > Tank.HOUR_MICROS && use.over() == 0);
        boolean ends = underWay.size() >= mostUnderWay || random.nextInt(3) == 0;
        if (ends && !underWay.isEmpty()) {
          Use use = underWay.remove(random.nextInt(underWay.size()));
          Settlement settlement = tank.settle(rules, use.id, use.estimate, use.actual, use.begunAt);
          if (settlement == Settlement.COUNTED) {
            settled++;
            admissions.remove(use.counted);
            admissions.add(use.begunAt, use.actual);
          }
          assertThat(tank.settle(rules, use.id, use.estimate, use.actual, use.begunAt))
              .isNotEqualTo(Settlement.COUNTED);
          retry = tank.peek(rules, 1).retry();
          continue;
        }
        long estimate = 1 + random.nextInt((int) Math.min(limit.capacity(), 4));
        long open = underWay.stream().mapToLong(Use::over).sum();
        long over = tooLow ? random.nextInt((int) Math.max(1, limit.capacity() - open)) : 0;
        long actual = random.nextBoolean() ? estimate + over : random.nextInt((int) estimate + 1);
        LimitReply reply = tank.begin(rules, estimate);
        retry = reply.retry();
        if (reply.granted() == 1) {
          Use use =
              new Use("u" + call, tank.now, estimate, actual, admissions.add(tank.now, estimate));
          underWay.add(use);
          most = Math.max(most, open + use.over());
        }
      }
      admissions.check(limit, most);
      beyond += most;
    }
    assertThat(settled).isGreaterThan(LIMITS);
    assertThat(beyond > 0).isEqualTo(tooLow);
  }

  @ParameterizedTest
  @MethodSource("each")
  void aSettlementReplacesTheEstimate(Limit limit) {
    Tank tank = new Tank();
    List<LimitRule> rules = Tank.rules(limit);
    long begun = tank.begin(rules, 5).at();
    assertThat(tank.settle(rules, "a", 5, 2, begun)).isEqualTo(Settlement.COUNTED);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(8);
    assertThat(tank.settle(rules, "a", 5, 2, begun)).isEqualTo(Settlement.REPEATED);
    assertThat(tank.settle(rules, "a", 5, 9, begun)).isEqualTo(Settlement.REPEATED);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(8);
    assertThat(tank.settle(rules, "b", 2, 6, tank.begin(rules, 2).at()))
        .isEqualTo(Settlement.COUNTED);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(2);
    assertThat(tank.settle(rules, "c", 2, 0, true, tank.begin(rules, 2).at()))
        .isEqualTo(Settlement.COUNTED);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(2);
  }

  @Test
  void aDebtDelaysTheNextCallByTheArithmetic() {
    Tank tank = new Tank();
    List<LimitRule> rules = Tank.rules(Limit.tokenBucket(10, SECONDS));
    tank.settle(rules, "a", 10, 15, tank.begin(rules, 10).at());
    assertThat(tank.take(rules, 1).retry()).isEqualTo(6 * SECOND);
    assertThat(tank.peek(rules, 0).remaining()).isZero();
    assertThat(tank.peek(rules, 0).reset()).isEqualTo(15 * SECOND);
    tank.now += 6 * SECOND - 1;
    assertThat(tank.take(rules, 1).granted()).isZero();
    tank.now++;
    assertThat(tank.take(rules, 1).granted()).isOne();
  }

  @ParameterizedTest
  @MethodSource("each")
  void aDebtIsAtMostTheCapacity(Limit limit) {
    Tank tank = new Tank();
    List<LimitRule> rules = Tank.rules(limit);
    tank.settle(rules, "a", 10, Long.MAX_VALUE, tank.begin(rules, 10).at());
    long reset = tank.peek(rules, 0).reset();
    assertThat(reset).isLessThanOrEqualTo(20 * SECOND);
    tank.settle(rules, "b", 1, 11, tank.now); // there is no room for more
    assertThat(tank.peek(rules, 0).reset()).isEqualTo(reset);
    tank.now += reset;
    assertThat(tank.isEmpty()).isTrue();
    assertThat(tank.take(rules, 10).granted()).isOne();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void aDebtIsCountedExactlyAtTheLargestNumbers(Limit.Algorithm algorithm) {
    boolean log = algorithm == Limit.Algorithm.SLIDING_LOG;
    long capacity = log ? 100_000 : LimitRule.MAX_COST;
    Limit limit = Limit.of(algorithm, capacity, Duration.ofSeconds(1));
    List<LimitRule> rules = Tank.rules(limit);
    Tank tank = new Tank();
    tank.settle(rules, "a", capacity, Long.MAX_VALUE, tank.begin(rules, capacity).at());
    tank.settle(rules, "b", 1, Long.MAX_VALUE, tank.now);
    assertThat(tank.peek(rules, 0).remaining()).isZero();
    tank.now += tank.peek(rules, 0).reset();
    assertThat(tank.take(rules, capacity).granted()).isOne();
  }

  @Test
  void whatDrainedWhileAUseWasUnderWayDoesNotComeBackASecondTime() {
    Tank tank = new Tank();
    List<LimitRule> rules = Tank.rules(Limit.tokenBucket(10, SECONDS));
    long begun = tank.begin(rules, 10).at();
    tank.now += 4 * SECOND;
    assertThat(tank.take(rules, 4).granted()).isOne();
    tank.settle(rules, "a", 10, 1, begun);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(5); // 9 too many, of which 4 had drained
  }

  @Test
  void aWindowGivesBackAllThatWasTooMuch() {
    for (Limit limit :
        List.of(Limit.slidingLog(10, SECONDS), Limit.slidingWindow(10, SECONDS).slots(5))) {
      Tank tank = new Tank();
      List<LimitRule> rules = Tank.rules(limit);
      long begun = tank.begin(rules, 10).at();
      tank.now += 9 * SECOND;
      tank.settle(rules, "a", 10, 1, begun);
      assertThat(tank.peek(rules, 0).remaining()).as("%s", limit).isEqualTo(9);
    }
  }

  @ParameterizedTest
  @MethodSource("each")
  void aCountThatNeverHadTheEstimateGivesNothingBack(Limit limit) {
    Tank before = new Tank();
    List<LimitRule> rules = Tank.rules(limit);
    long begun = before.begin(rules, 9).at();
    Tank after = new Tank(); // reset meanwhile
    after.now = begun + SECOND;
    after.begin(rules, 6);
    assertThat(after.settle(rules, "a", 9, 1, begun)).isEqualTo(Settlement.COUNTED);
    assertThat(after.peek(rules, 0).remaining()).isEqualTo(4);
    after.settle(rules, "b", 1, 3, begun); // what was used counts all the same
    assertThat(after.peek(rules, 0).remaining()).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("each")
  void aHigherVersionTakesTheChargeAndGivesNothingBack(Limit limit) {
    Tank tank = new Tank();
    List<LimitRule> old = Tank.rules(1, CarryOver.KEEP, limit);
    List<LimitRule> newer = Tank.rules(2, CarryOver.KEEP, limit);
    long begun = tank.begin(old, 4).at();
    tank.take(newer, 1);
    tank.settle(old, "a", 4, 1, begun);
    assertThat(tank.peek(newer, 0).remaining()).isEqualTo(5);
    tank.settle(old, "b", 4, 6, begun);
    assertThat(tank.peek(newer, 0).remaining()).isEqualTo(3);
  }

  @ParameterizedTest
  @MethodSource("each")
  void aLateSettlementChangesNothing(Limit limit) {
    Tank tank = new Tank();
    List<LimitRule> rules = Tank.rules(limit);
    long begun = tank.begin(rules, 5).at();
    tank.now += Tank.HOUR_MICROS + 1;
    assertThat(tank.settle(rules, "a", 5, 9, begun)).isEqualTo(Settlement.LATE);
    assertThat(tank.isEmpty()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("each")
  void anIdIsKnownForAsLongAsASettlementCounts(Limit limit) {
    Tank tank = new Tank();
    List<LimitRule> rules = Tank.rules(limit);
    long begun = tank.begin(rules, 5).at();
    tank.settle(rules, "a", 5, 9, begun);
    tank.now = begun + Tank.HOUR_MICROS;
    assertThat(tank.settle(rules, "a", 5, 9, begun)).isEqualTo(Settlement.REPEATED);
    tank.now++;
    assertThat(tank.settle(rules, "a", 5, 9, begun)).isEqualTo(Settlement.LATE);
  }

  @Test
  void aTierThatCountsCallsKeepsTheCall() {
    Tank tank = new Tank();
    List<LimitRule> rules =
        Tank.rules(Limit.slidingWindow(3, SECONDS).perCall(), Limit.tokenBucket(1000, SECONDS));
    long begun = tank.begin(rules, 600).at();
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(2);
    assertThat(tank.take(rules, 600).tier()).isOne();
    tank.settle(rules, "a", 600, 0, begun);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(2);
    assertThat(tank.take(rules, 1000).granted()).isOne();
    tank.settle(rules, "b", 1000, 0, true, tank.now);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(2); // the call that was not, is not
    tank.take(rules, 1);
    tank.take(rules, 1);
    LimitReply refused = tank.take(rules, 400);
    assertThat(refused.granted()).isZero();
    assertThat(refused.tier()).isZero();
    assertThat(tank.giveBack(rules, 400, 0).remaining()).isOne();
  }

  @Test
  void aDebtGivesBackAndAPromiseDoesNot() {
    Limit limit = Limit.tokenBucket(10, SECONDS);
    List<LimitRule> rules = Tank.rules(limit);
    Tank debt = new Tank();
    long first = debt.begin(rules, 4).at();
    long second = debt.begin(rules, 6).at();
    debt.settle(rules, "a", 4, 9, first);
    debt.settle(rules, "b", 6, 2, second);
    assertThat(debt.take(rules, 1).retry()).isEqualTo(2 * SECOND); // 11 of 10

    Tank reset = new Tank(); // the count is not the one that the use began in
    reset.take(rules, 8);
    reset.settle(rules, "c", 2, 13, reset.now - SECOND);
    reset.giveBack(rules, 5, 0);
    assertThat(reset.take(rules, 1).retry()).isEqualTo(5 * SECOND); // 14 of 10

    Tank promise = new Tank();
    long begun = promise.begin(rules, 6).at();
    assertThat(promise.reserve(rules, 10, Tank.HOUR_MICROS).delay()).isEqualTo(6 * SECOND);
    promise.settle(rules, "a", 6, 2, begun);
    assertThat(promise.take(rules, 1).retry()).isEqualTo(7 * SECOND);
  }

  @Test
  void aClockThatStepsBackTakesTheChargeAndGivesNothingBack() {
    Tank tank = new Tank();
    List<LimitRule> rules = Tank.rules(Limit.tokenBucket(10, SECONDS));
    long begun = tank.begin(rules, 4).at();
    tank.now -= 30 * SECOND;
    assertThat(tank.settle(rules, "a", 4, 1, begun)).isEqualTo(Settlement.COUNTED);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(6);
    tank.settle(rules, "b", 4, 6, begun);
    assertThat(tank.peek(rules, 0).remaining()).isEqualTo(4);
  }
}
