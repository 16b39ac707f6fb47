package dev.sluice.redis.verbs;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Limit.Algorithm;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRequest.Verb;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.SettleRequest;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A random history of one key of a limiter of 1 to 3 tiers, the first of a given algorithm: who
 * asks for what, under which version of the policy, at which time of the store. The same seed makes
 * the same history. Times fall on both sides of every border, now and then the clock goes back, and
 * now and then the store forgets.
 */
record LimitHistory(String name, List<Step> steps) {

  /**
   * One request, and maybe a loss of the store's data before it.
   *
   * @param settle if not null, this is asked in the request's place
   */
  record Step(long now, LimitRequest request, @Nullable SettleRequest settle, boolean loss) {}

  private record Rate(long count, long micros) {}

  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;
  private static final Rate[] RATES = {
    new Rate(1, 24 * HOUR),
    new Rate(1000, HOUR),
    new Rate(12_000, 60 * SECOND),
    new Rate(7, 3 * SECOND),
    new Rate(1, SECOND),
    new Rate(10, SECOND),
    new Rate(899, SECOND),
    new Rate(907, SECOND),
    new Rate(999_983, SECOND),
    new Rate(1_000_000, SECOND),
    new Rate(5, 100_000),
    new Rate(3, 700)
  };
  private static final long[] CAPACITIES = {1, 2, 3, 10, 11, 100, 5000, 1_000_000_000_000L};
  private static final Algorithm[] ALGORITHMS = {
    Algorithm.GCRA,
    Algorithm.TOKEN_BUCKET,
    Algorithm.FIXED_WINDOW,
    Algorithm.SLIDING_LOG,
    Algorithm.SLIDING_WINDOW,
    Algorithm.EXPIRING_WINDOW
  };

  static LimitHistory of(long seed, int length, Algorithm first) {
    return new Maker(seed, first, false).history(length);
  }

  /** The same with uses that are settled, and with tiers that count calls. */
  static LimitHistory settling(long seed, int length, Algorithm first) {
    return new Maker(seed, first, true).history(length);
  }

  /** The first rules; all versions have the same tiers. */
  List<LimitRule> rules() {
    return steps.get(0).request.rules();
  }

  private static final class Maker {
    private final long seed;
    private final SplittableRandom random;
    private final boolean numbered;
    private final boolean[] shared;
    private final boolean[] perCall;
    private final boolean settles;
    private final long within;
    private final List<List<Limit>> policies = new ArrayList<>();
    private final List<List<LimitRule>> rules = new ArrayList<>();
    private final List<Long> moments = new ArrayList<>();

    Maker(long seed, Algorithm first, boolean settles) {
      this.seed = seed;
      this.settles = settles;
      this.random = new SplittableRandom(seed);
      this.numbered = random.nextInt(3) == 0;
      this.shared = new boolean[1 + random.nextInt(3)];
      this.perCall = new boolean[shared.length];
      int versions = random.nextInt(3) == 0 ? 1 : 2 + random.nextInt(3);
      for (int i = 0; i < shared.length; i++) {
        shared[i] = random.nextInt(8) == 0;
        perCall[i] = settles && random.nextInt(8) == 0;
      }
      this.within = settles ? SECOND + magnitude(HOUR) : 0;
      for (int version = 0; version < versions; version++) {
        List<Limit> limits = new ArrayList<>();
        for (int i = 0; i < shared.length; i++) {
          Limit was = version == 0 ? null : policies.get(version - 1).get(i);
          Algorithm kind = i == 0 ? first : ALGORITHMS[random.nextInt(ALGORITHMS.length)];
          Limit limit = was == null || random.nextInt(5) == 0 ? fresh(kind) : changed(was);
          limit = perCall[i] ? limit.perCall() : limit;
          limits.add(shared[i] ? limit.shared() : limit);
        }
        policies.add(limits);
        rules.add(
            LimitRule.of(
                limits,
                numbered ? version + random.nextInt(2) * 60_000 / versions : 0,
                CarryOver.values()[random.nextInt(3)],
                random.nextInt(5) == 0 ? 1000 : 0));
      }
    }

    private Limit fresh(Algorithm kind) {
      while (true) {
        Rate rate = RATES[random.nextInt(RATES.length)];
        long capacity = random.nextInt(3) == 0 ? rate.count : pick(CAPACITIES);
        try {
          return make(kind, capacity, rate.count, rate.micros, 1 + random.nextInt(12));
        } catch (IllegalArgumentException e) {
          // these numbers do not go together
        }
      }
    }

    private Limit changed(Limit was) {
      long micros = was.period().toNanos() / 1000;
      for (int attempt = 0; attempt < 20; attempt++) {
        long capacity = random.nextBoolean() ? was.capacity() : pick(CAPACITIES);
        long count = random.nextBoolean() ? was.count() : was.count() * 2;
        int slots = random.nextInt(4) > 0 ? was.slots() : 100;
        try {
          return make(was.algorithm(), capacity, count, micros, slots);
        } catch (IllegalArgumentException e) {
          // these numbers do not go together
        }
      }
      return was;
    }

    private static Limit make(Algorithm kind, long capacity, long count, long micros, int slots) {
      Limit limit =
          Limit.of(
              kind, kind.isBucket() ? count : capacity, Duration.of(micros, ChronoUnit.MICROS));
      if (kind.isBucket()) {
        return limit.burst(capacity);
      }
      return kind == Algorithm.SLIDING_WINDOW ? limit.slots(slots) : limit;
    }

    private long pick(long[] from) {
      return from[random.nextInt(from.length)];
    }

    LimitHistory history(int length) {
      String name = (settles ? "s" : "h") + seed;
      List<Step> steps = new ArrayList<>();
      int version = 0;
      long now = EPOCH + random.nextInt(1000);
      moments.add(now);
      for (int i = 0; i < length; i++) {
        if (random.nextInt(length) < rules.size() && version + 1 < rules.size()) {
          version++;
        }
        int used = random.nextInt(7) == 0 ? random.nextInt(rules.size()) : version;
        now = Math.max(EPOCH / 2, nextTime(now, policies.get(used)));
        moments.add(now);
        LimitRequest request = request(name, used, now);
        SettleRequest settle = settles && random.nextInt(4) == 0 ? settlement(request, now) : null;
        steps.add(new Step(now, request, settle, random.nextInt(200) == 0));
      }
      return new LimitHistory(name, steps);
    }

    private LimitRequest request(String name, int version, long now) {
      List<LimitRule> tiers = rules.get(version);
      LimitRule one = tiers.get(random.nextInt(tiers.size()));
      int percent = random.nextInt(100);
      Verb verb = percent < 80 ? Verb.TAKE : percent < 88 ? Verb.PEEK : Verb.GIVE_BACK;
      if (settles && percent < 40) {
        verb = Verb.BEGIN;
      }
      int times = 1;
      long wait = 0;
      if (random.nextInt(4) == 0) {
        times = random.nextInt(3) == 0 ? 10_000 : 2 + random.nextInt(20);
      } else if (random.nextInt(3) == 0) {
        wait = magnitude(2 * HOUR);
      }
      return new LimitRequest(
          verb, name, "k", tiers, cost(one.capacity()), times, wait, takenAt(now));
    }

    /** What a use has cost that began at a moment of this history, or at another. */
    private SettleRequest settlement(LimitRequest request, long now) {
      long begunAt = request.takenAtMicros() == 0 ? now : request.takenAtMicros();
      long capacity = request.rules().get(random.nextInt(request.rules().size())).capacity();
      long estimate = Math.max(1, request.cost());
      int percent = random.nextInt(100);
      long actual =
          percent < 40
              ? Math.max(0, estimate - 1 - random.nextInt(3))
              : percent < 80
                  ? estimate + magnitude(capacity)
                  : percent < 85 ? Long.MAX_VALUE : magnitude(estimate);
      return new SettleRequest(
          request.limiter(),
          request.key(),
          request.rules(),
          "u" + begunAt + "-" + random.nextInt(2),
          estimate,
          actual,
          random.nextInt(8) == 0,
          begunAt,
          within);
    }

    /** A refund, or what was taken at a moment of this history, before it, or after it. */
    private long takenAt(long now) {
      int percent = random.nextInt(100);
      if (percent < 30) {
        return 0;
      }
      if (percent < 80) {
        return moments.get(moments.size() - 1 - random.nextInt(Math.min(9, moments.size())));
      }
      return percent < 95 ? now - magnitude(HOUR) : now + magnitude(HOUR);
    }

    private long cost(long capacity) {
      int percent = random.nextInt(100);
      if (percent < 55) {
        return 1;
      }
      if (percent < 60) {
        return 0;
      }
      long cost = percent < 85 ? 1 + random.nextInt(12) : 1 + magnitude(capacity);
      return Math.min(capacity + (percent > 97 ? 1 : 0), cost);
    }

    /** Every order of magnitude alike. */
    private long magnitude(long most) {
      return (long) Math.exp(random.nextDouble() * Math.log(most + 1)) - 1;
    }

    private long nextTime(long now, List<Limit> limits) {
      Limit limit = limits.get(random.nextInt(limits.size()));
      long period = limit.period().toNanos() / 1000;
      long interval = Math.max(1, period / limit.count());
      int percent = random.nextInt(100);
      if (percent < 35) {
        return now + random.nextInt(3);
      }
      if (percent < 60) {
        return now + random.nextLong(2 * interval + 1);
      }
      if (percent < 70) {
        return now + random.nextLong(period / Math.max(1, limit.slots()) + 1);
      }
      if (percent < 90) { // the border of something that began a while ago, or beside it
        long from = moments.get(moments.size() - 1 - random.nextInt(Math.min(9, moments.size())));
        long span = random.nextBoolean() ? period : interval * (1 + random.nextInt(10));
        long border = from + span;
        if (limit.slots() > 0 || limit.algorithm() == Algorithm.FIXED_WINDOW) {
          long slot = Math.max(1, period / Math.max(1, limit.slots()));
          border = border / slot * slot;
        }
        return Math.max(now, border + random.nextInt(3) - 1);
      }
      return percent < 95 ? now + magnitude(2 * HOUR) : now - magnitude(2 * HOUR);
    }
  }
}
