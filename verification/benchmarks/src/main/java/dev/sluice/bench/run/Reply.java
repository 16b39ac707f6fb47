package dev.sluice.bench.run;

import java.io.Serializable;
import org.HdrHistogram.Histogram;

/** What a worker process answers. */
sealed interface Reply extends Serializable {

  /** Done as asked. */
  record Done() implements Reply {}

  /** Not done. */
  record Failed(String why) implements Reply {}

  /**
   * What the threads did.
   *
   * @param total turns from start to stop
   * @param perThread turns of each thread while measuring
   * @param nanos how long measuring took
   * @param cpuNanos CPU time of this process while measuring
   * @param waits time in acquire, nanoseconds
   * @param turns time of a whole turn, nanoseconds
   */
  record Outcome(
      long total, long[] perThread, long nanos, long cpuNanos, Histogram waits, Histogram turns)
      implements Reply {
    long measured() {
      long sum = 0;
      for (long each : perThread) {
        sum += each;
      }
      return sum;
    }
  }

  /**
   * What the callers of a limiter were told.
   *
   * @param refused calls that were refused
   * @param failed calls that ended without the store's word
   * @param failure one of their failures, or empty
   * @param firstAsked when the first call was made; nanoseconds of the machine
   * @param lastAsked when the last call was made
   * @param asked when each admitted call was made, if that was wanted
   * @param answered when it was answered
   */
  record Admissions(
      Outcome outcome,
      long refused,
      long failed,
      String failure,
      long firstAsked,
      long lastAsked,
      long[] asked,
      long[] answered)
      implements Reply {}

  /**
   * When callers asked and were answered; nanoseconds of the machine.
   *
   * @param failed calls that ended without an answer; theirs is the time of the failure
   * @param failure one of their failures, or empty
   */
  record Rushed(long[] asked, long[] answered, int failed, String failure) implements Reply {}

  /** How long a search took, and how often something was found that does not exist. */
  record Sought(long nanos, long cpuNanos, long found) implements Reply {}

  /** Loads in each bin of the last tenth of the TTL. */
  record Expired(long[] loads) implements Reply {}

  /** How long something took, and how much CPU time of the process. */
  record Took(long nanos, long cpuNanos) implements Reply {}

  /** Elements that were not added, and are said to be there. */
  record Wrong(long count) implements Reply {}

  /**
   * The state of many held leases.
   *
   * @param held leases that are good
   * @param doubts how often a lease became doubtful
   * @param lost leases that were lost
   * @param cpuNanos CPU time of this process since it started
   */
  record Held(int held, long doubts, long lost, long cpuNanos) implements Reply {}
}
