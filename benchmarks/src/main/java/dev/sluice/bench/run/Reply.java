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
   * The state of many held leases.
   *
   * @param held leases that are good
   * @param doubts how often a lease became doubtful
   * @param lost leases that were lost
   * @param cpuNanos CPU time of this process since it started
   */
  record Held(int held, long doubts, long lost, long cpuNanos) implements Reply {}
}
