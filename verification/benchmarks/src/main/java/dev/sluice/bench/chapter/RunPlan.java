package dev.sluice.bench.chapter;

import java.time.Duration;

/**
 * The length and the number of a run's measurements.
 *
 * @param rounds rounds of each workload, every system once in each
 * @param warmUp unmeasured time of each system before the first round of a workload
 * @param leadIn unmeasured time before each measurement
 * @param window measured time
 * @param renewalTtl TTL of the lease whose renewals are counted; it is held for 2.1 times as long
 * @param renewalCycles lock cycles before it
 * @param heldLeases leases that are held together
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

  private static RunPlan of(
      int rounds,
      long warmUpMillis,
      long leadInMillis,
      long windowMillis,
      long renewalSeconds,
      int renewalCycles,
      int heldLeases,
      long heldSeconds,
      boolean awaitExpiry) {
    return new RunPlan(
        rounds,
        Duration.ofMillis(warmUpMillis),
        Duration.ofMillis(leadInMillis),
        Duration.ofMillis(windowMillis),
        Duration.ofSeconds(renewalSeconds),
        renewalCycles,
        heldLeases,
        Duration.ofSeconds(heldSeconds),
        awaitExpiry);
  }

  /** About ten minutes on two cores. */
  public static RunPlan full() {
    return of(5, 1500, 300, 1500, 30, 20_000, 100_000, 30, true);
  }

  /** Two to three minutes. */
  public static RunPlan quick() {
    return of(3, 800, 150, 500, 3, 2_000, 20_000, 6, true);
  }

  /** For a chapter among others: 700 ms, with the waits of a quick run or little more. */
  public static RunPlan shared() {
    return of(5, 1000, 200, 700, 6, 10_000, 50_000, 10, true);
  }

  /** For a few workloads of each chapter in some minutes. */
  public static RunPlan sharedQuick() {
    return of(3, 400, 100, 300, 3, 2_000, 20_000, 6, false);
  }

  public RunPlan withRounds(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("rounds must be >= 1: " + count);
    }
    return new RunPlan(
        count, warmUp, leadIn, window, renewalTtl, renewalCycles, heldLeases, heldTtl, awaitExpiry);
  }
}
