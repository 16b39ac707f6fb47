package dev.sluice.bench.chapter;

import java.time.Duration;

/**
 * How long and how often a run measures.
 *
 * @param rounds rounds of each workload, every system once in each
 * @param warmUp unmeasured time of each system before the first round of a workload
 * @param leadIn unmeasured time before each measurement
 * @param window measured time
 * @param renewalTtl TTL of the lease whose renewals are counted; it is held for 2.1 times as long
 * @param renewalCycles lock cycles before it
 * @param heldLeases leases that are held at once
 * @param heldTtl their TTL; they are held for 1.2 times as long
 * @param awaitExpiry whether to wait until the keys of idle names are due to be gone
 */
public record RunPlan(
    int rounds,
    Duration warmUp,
    Duration leadIn,
    Duration window,
    Duration renewalTtl,
    int renewalCycles,
    int heldLeases,
    Duration heldTtl,
    boolean awaitExpiry) {

  /** About ten minutes on two cores. */
  public static RunPlan full() {
    return new RunPlan(
        5,
        Duration.ofMillis(1500),
        Duration.ofMillis(300),
        Duration.ofMillis(1500),
        Duration.ofSeconds(30),
        20_000,
        100_000,
        Duration.ofSeconds(30),
        true);
  }

  /** Two to three minutes. */
  public static RunPlan quick() {
    return new RunPlan(
        3,
        Duration.ofMillis(800),
        Duration.ofMillis(150),
        Duration.ofMillis(500),
        Duration.ofSeconds(3),
        2_000,
        20_000,
        Duration.ofSeconds(6),
        true);
  }

  /** For a chapter among others: 700 ms, with the waits of a quick run or little more. */
  public static RunPlan shared() {
    return new RunPlan(
        5,
        Duration.ofMillis(1000),
        Duration.ofMillis(200),
        Duration.ofMillis(700),
        Duration.ofSeconds(6),
        10_000,
        50_000,
        Duration.ofSeconds(10),
        true);
  }

  /** For a few workloads of each chapter in some minutes. */
  public static RunPlan sharedQuick() {
    return new RunPlan(
        3,
        Duration.ofMillis(400),
        Duration.ofMillis(100),
        Duration.ofMillis(300),
        Duration.ofSeconds(3),
        2_000,
        20_000,
        Duration.ofSeconds(6),
        false);
  }

  public RunPlan withRounds(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("rounds must be >= 1: " + count);
    }
    return new RunPlan(
        count, warmUp, leadIn, window, renewalTtl, renewalCycles, heldLeases, heldTtl, awaitExpiry);
  }
}
