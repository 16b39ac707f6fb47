package dev.sluice.bench.scale.sim;

import java.util.SplittableRandom;

/** Random times. The same seed gives the same run on every machine. */
final class Chance {
  private final SplittableRandom random;

  Chance(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** {@return a time without memory} */
  double exponential(double mean) {
    return mean <= 0 ? 0 : -mean * Math.log(1 - random.nextDouble());
  }

  double uniform(double bound) {
    return bound * random.nextDouble();
  }

  int below(int bound) {
    return random.nextInt(bound);
  }
}
