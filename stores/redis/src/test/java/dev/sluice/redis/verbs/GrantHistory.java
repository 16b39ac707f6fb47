package dev.sluice.redis.verbs;

import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A random history of one lock: who asks for what, at which time of the store. The same seed makes
 * the same history. Attempts are repeated, late and out of order; times fall on both sides of every
 * border, and now and then the clock goes back.
 */
record GrantHistory(String name, List<Step> steps) {

  /** A requested operation. */
  enum Verb {
    ACQUIRE,
    RENEW,
    RELEASE,
    RELEASE_AFTER,
    FORCE,
    INSPECT
  }

  record Step(
      long now, Verb verb, String client, long attempt, long ttl, int block, boolean queue) {

    GrantRequest request(String name) {
      return new GrantRequest(name, client, attempt, ttl, block, queue);
    }
  }

  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long[] TTLS = {
    10_000, 200_000, 1_000_000, 3_000_000, 40_000_000, 86_400_000_000L
  };
  private static final long[] BORDERS = {
    LockProtocol.CLAIM_MICROS,
    LockProtocol.HEARTBEAT_MICROS,
    LockProtocol.MAX_LEAD_MICROS,
    LockProtocol.RETENTION_MICROS
  };
  private static final int[] BLOCKS = {1, 2, 64, LockProtocol.MAX_BLOCK};

  /** Tombstones are exact for backward steps below the retention. */
  private static final long MAX_STEP_BACK = LockProtocol.RETENTION_MICROS - 2;

  /**
   * Makes a history.
   *
   * @param nearTheEnd whether to start where tokens run out; times are even there, since sums
   *     beyond 2^53 are exact for even numbers only
   */
  static GrantHistory of(long seed, int length, boolean nearTheEnd) {
    SplittableRandom random = new SplittableRandom(seed);
    String name = "h" + seed;
    List<String> clients = new ArrayList<>();
    int crowd = seed % 8 == 0 ? 150 : 2 + random.nextInt(4); // many clients: tombstones get dropped
    for (int i = 0; i < crowd; i++) {
      clients.add(name + "-" + i);
    }
    long[] attempts = new long[clients.size()];
    long unit = nearTheEnd ? 2 : 1;
    long now = nearTheEnd ? LockProtocol.MAX_TOKEN - 1 - 2L * random.nextInt(40_000) : EPOCH;
    long latest = now;
    List<Long> moments = new ArrayList<>(List.of(now));
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      now = nextTime(random, now, latest, moments, unit);
      if (nearTheEnd && now > LockProtocol.MAX_TOKEN) {
        now = latest;
      }
      latest = Math.max(latest, now);
      int who = random.nextInt(clients.size());
      Verb verb = verb(random.nextInt(100));
      long attempt = attempt(random, attempts[who]);
      attempts[who] = Math.max(attempts[who], attempt);
      long ttl = TTLS[random.nextInt(TTLS.length)];
      steps.add(
          new Step(
              now,
              verb,
              clients.get(who),
              attempt,
              ttl,
              BLOCKS[random.nextInt(BLOCKS.length)],
              random.nextInt(4) > 0));
      moments.add(now);
    }
    return new GrantHistory(name, steps);
  }

  private static Verb verb(int percent) {
    if (percent < 55) {
      return Verb.ACQUIRE;
    }
    if (percent < 68) {
      return Verb.RENEW;
    }
    if (percent < 90) {
      return Verb.RELEASE;
    }
    return percent < 93 ? Verb.FORCE : percent < 96 ? Verb.RELEASE_AFTER : Verb.INSPECT;
  }

  private static long attempt(SplittableRandom random, long last) {
    int percent = random.nextInt(100);
    if (last == 0 || percent < 25) {
      return last + 1;
    }
    return percent < 88 ? last : 1 + random.nextLong(last);
  }

  /** A moment soon after the last, on or beside a border of what began before, or before it. */
  static long nextTime(
      SplittableRandom random, long now, long latest, List<Long> moments, long unit) {
    int percent = random.nextInt(100);
    long next;
    if (percent < 35) {
      next = now + unit * random.nextInt(3);
    } else if (percent < 70) {
      next = now + unit * random.nextInt(400_000);
    } else if (percent < 93) { // the border of something that began a while ago, or beside it
      long from = moments.get(moments.size() - 1 - random.nextInt(Math.min(6, moments.size())));
      long span =
          random.nextBoolean()
              ? BORDERS[random.nextInt(BORDERS.length)]
              : TTLS[random.nextInt(TTLS.length - 1)];
      next = from + span + unit * (random.nextInt(3) - 1);
    } else {
      next = now - unit * random.nextInt(5_000_000);
    }
    return Math.max(next, latest - MAX_STEP_BACK);
  }
}
