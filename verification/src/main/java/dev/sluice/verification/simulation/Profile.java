package dev.sluice.verification.simulation;

import dev.sluice.lock.LockOptions;
import dev.sluice.verification.history.Assumptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The properties of one schedule: participants, kinds of leases, faults and their rates. */
final class Profile {
  static final long MILLI = 1_000_000;
  static final long SECOND = 1000 * MILLI;
  private static final long[] TTL_MILLIS = {30, 60, 150, 400, 1000, 3000, 10_000, 30_000};

  final int processes;
  final int callers;
  final List<String> names;
  final List<LockOptions> options = new ArrayList<>();
  final double usualOptions;
  final long busy;
  final long longestTtl;
  final long longestHold;
  final long longestThought;

  final long delay;
  final long late;
  final double lateShare;
  final double lostRequests;
  final double lostReplies;
  final double repeated;
  final double lostMessages;
  final long requestTimeout;
  final long callbackDelay;

  final int pauses;
  final int kills;
  final int closes;
  final int outages;
  final int amnesias;
  final int stepsBack;
  final int stepsForward;

  /** By how much rates of client clocks differ from the store's: 0.005 is half a percent. */
  final double drift;

  Profile(SplittableRandom random) {
    processes = 2 + (random.nextInt(4) == 0 ? 1 : 0) + (random.nextInt(8) == 0 ? 1 : 0);
    callers = 1 + random.nextInt(3);
    names = random.nextInt(4) == 0 ? List.of("seat", "gate") : List.of("seat");
    int kinds = 1 + random.nextInt(3);
    long longest = 0;
    for (int i = 0; i < kinds; i++) {
      LockOptions one = options(random);
      options.add(one);
      longest = Math.max(longest, one.ttl().toNanos());
    }
    longestTtl = longest;
    usualOptions = random.nextInt(3) == 0 ? 0.6 : 0.95;
    longestHold =
        random.nextInt(3) == 0
            ? Math.min(5 * SECOND, longest * 3 / 2)
            : Math.min(longest, (5 + random.nextInt(100)) * MILLI);
    longestThought = random.nextInt(3) == 0 ? 5 * MILLI : 300 * MILLI;
    busy = (300 + random.nextInt(4000)) * MILLI;

    delay = new long[] {MILLI / 5, MILLI, 5 * MILLI, 20 * MILLI}[random.nextInt(4)];
    boolean rough = random.nextInt(4) != 0;
    late = rough ? new long[] {50, 500, 2000}[random.nextInt(3)] * MILLI : 0;
    lateShare = rough ? share(random, 0.1) : 0;
    lostRequests = rough ? share(random, 0.2) : 0;
    lostReplies = rough ? share(random, 0.2) : 0;
    repeated = rough ? share(random, 0.2) : 0;
    lostMessages = new double[] {0, 0.1, 0.5, 1}[random.nextInt(4)];
    requestTimeout = new long[] {60, 250, 1000}[random.nextInt(3)] * MILLI;
    callbackDelay = random.nextInt(3) == 0 ? 10 * MILLI : MILLI / 10;

    pauses = random.nextInt(3) == 0 ? 0 : random.nextInt(4);
    kills = random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0;
    closes = random.nextInt(4) == 0 ? 1 : 0;
    outages = random.nextInt(4) == 0 ? 1 : 0;
    int clocks = random.nextInt(8); // half of all schedules keep every clock assumption
    amnesias = clocks == 0 ? 1 + random.nextInt(2) : 0;
    stepsForward = clocks == 1 ? 1 + random.nextInt(2) : 0;
    stepsBack = random.nextInt(5) == 0 ? 1 + random.nextInt(2) : 0;
    drift = clocks == 2 ? 0.1 : clocks == 3 || clocks == 4 ? 0.009 : 0;
  }

  private static double share(SplittableRandom random, double most) {
    double share = random.nextDouble();
    return most * share * share;
  }

  private static LockOptions options(SplittableRandom random) {
    Duration ttl = Duration.ofMillis(TTL_MILLIS[random.nextInt(TTL_MILLIS.length)]);
    LockOptions options =
        random.nextInt(5) < 2 ? LockOptions.fixed(ttl) : LockOptions.renewing(ttl);
    if (random.nextInt(4) == 0) {
      options = options.maxHold(ttl.plusMillis(random.nextInt(1000)));
    }
    if (random.nextInt(3) == 0) {
      options = options.sticky(Duration.ofMillis(1 + random.nextInt(3000)));
    }
    if (random.nextBoolean()) {
      options = options.handOff(1 + random.nextInt(4), Duration.ofMillis(random.nextInt(50)));
    }
    return options;
  }

  boolean clocksBehave() {
    return amnesias == 0 && stepsForward == 0 && drift < 0.0099;
  }

  Assumptions assumptions() {
    // After heal a waiter may stand behind a dead holder, late requests, dead waiters and the
    // others' turns.
    long longestLease = 10 * longestTtl; // as Turn renews
    long served =
        2 * longestLease
            + late
            + 5 * SECOND
            + (long) processes * (callers + 2) * (longestHold + 700 * MILLI);
    return new Assumptions(
        clocksBehave(), stepsForward == 0, callbackDelay + 20 * MILLI, longestLease, served, true);
  }

  @Override
  public String toString() {
    return processes
        + " processes x "
        + callers
        + " callers, "
        + names
        + ", "
        + options
        + "; pauses "
        + pauses
        + ", kills "
        + kills
        + ", closes "
        + closes
        + ", outages "
        + outages
        + ", amnesias "
        + amnesias
        + ", steps back "
        + stepsBack
        + ", steps forward "
        + stepsForward
        + ", drift "
        + drift;
  }
}
