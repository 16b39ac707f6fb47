package dev.sluice.bench.run;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The work of a worker from start to stop, and the measurements in between. */
public abstract class Loop {
  /** The longest time that a histogram holds. */
  protected static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Whether what is done now counts. */
  protected volatile boolean measuring;

  /** Whether callers are to end. */
  protected volatile boolean stopped;

  /** What ended the run, or the last call that failed. */
  protected volatile @Nullable Throwable failure;

  private long began;
  private long nanos;
  private long cpuBegan;
  private long cpuNanos;

  /** Lets the callers begin. */
  protected abstract void start();

  final void measure() {
    cpuBegan = cpuNanos();
    began = System.nanoTime();
    measuring = true;
  }

  final void pause() {
    measuring = false;
    nanos = System.nanoTime() - began;
    cpuNanos = cpuNanos() - cpuBegan;
  }

  /** Ends all callers and sums up. */
  protected abstract LoopOutcome stop() throws InterruptedException;

  /** {@return the outcome of callers that refuse nothing and record nothing} */
  protected final LoopOutcome outcome(
      long total, long[] perCaller, Histogram waits, Histogram turns) {
    return new LoopOutcome(
        total, perCaller, nanos, cpuNanos, waits, turns, 0, 0, 0, 0, new long[0], new long[0]);
  }

  /** {@return CPU time of this process since it started} */
  public static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  static Histogram newHistogram() {
    return new Histogram(1, MAX_NANOS, 2);
  }
}
