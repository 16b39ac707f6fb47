package dev.sluice.bench.run;

import java.io.Serializable;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * The counts of the callers of one worker process.
 *
 * @param total turns from start to stop
 * @param perCaller turns of each caller while measuring
 * @param nanos how long measuring took
 * @param cpuNanos CPU time of this process while measuring
 * @param waits time in acquire, nanoseconds
 * @param turns time of a whole turn, nanoseconds
 * @param refused calls that were answered with no
 * @param failed calls that ended without the store's word
 * @param firstAsked when the first recorded call was made; nanoseconds of the machine
 * @param lastAsked when the last one was made
 * @param asked when each admitted call was made, if that was recorded
 * @param answered when it was answered
 */
public record LoopOutcome(
    long total,
    long[] perCaller,
    long nanos,
    long cpuNanos,
    Histogram waits,
    Histogram turns,
    long refused,
    long failed,
    long firstAsked,
    long lastAsked,
    long[] asked,
    long[] answered)
    implements Serializable {
  long measured() {
    return LongStream.of(perCaller).sum();
  }
}
