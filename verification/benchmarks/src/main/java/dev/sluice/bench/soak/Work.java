package dev.sluice.bench.soak;

import java.util.random.RandomGenerator;

/** Something that a worker does again and again. Called by several threads. */
@FunctionalInterface
interface Work {
  /**
   * Does it once.
   *
   * @throws Exception what the library threw; it is counted, and the worker goes on
   */
  void turn(RandomGenerator random) throws Exception;
}
