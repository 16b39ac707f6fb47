package dev.sluice.verification.torture;

import dev.sluice.verification.torture.LockClient.Terms;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** The mix of the workers' operations, their rates and lengths. */
record WorkloadMix(boolean fixedLeases, boolean sticky) {

  /** Peers hold renewed leases only: what they promise for others differs from one to the next. */
  static WorkloadMix of(String system) {
    boolean ours = system.equals(SluiceClient.WORD);
    return new WorkloadMix(ours, ours);
  }

  Terms terms(RandomGenerator random) {
    Duration ttl =
        switch (random.nextInt(4)) {
          case 0 -> Duration.ofMillis(300);
          case 1 -> Duration.ofMillis(700);
          default -> CallerLoop.MAX_TTL;
        };
    if (!fixedLeases) {
      return new Terms(CallerLoop.MAX_TTL, true, false);
    }
    return new Terms(ttl, random.nextInt(5) < 2, sticky && random.nextInt(10) == 0);
  }

  Duration wait(RandomGenerator random) {
    return switch (random.nextInt(5)) {
      case 0 -> Duration.ofMillis(random.nextInt(1, 300));
      case 1 -> Duration.ofSeconds(3);
      default -> Duration.ZERO;
    };
  }

  /** Mostly short; some outlive their lease on purpose, some are renewed many times. */
  long holdMillis(RandomGenerator random, Terms terms) {
    int kind = random.nextInt(40);
    long ttl = terms.ttl().toMillis();
    if (kind == 0) {
      return ttl + random.nextLong(ttl);
    }
    if (kind <= 2) {
      return terms.renewing() ? random.nextLong(4 * ttl) : random.nextLong(ttl);
    }
    return random.nextLong(kind < 12 ? 40 : 6);
  }

  long thinkMillis(RandomGenerator random) {
    return random.nextLong(random.nextInt(4) == 0 ? 60 : 10);
  }
}
