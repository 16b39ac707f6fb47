package dev.sluice.bench.run;

import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.COMMAND_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.FAILED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.PROCESS_SHARE;
import static dev.sluice.bench.report.Metric.PUBLISHED;
import static dev.sluice.bench.report.Metric.REFUSED;
import static dev.sluice.bench.report.Metric.SAMPLES;
import static dev.sluice.bench.report.Metric.SCRIPTS;
import static dev.sluice.bench.report.Metric.SCRIPT_CPU;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.THREAD_SHARE;
import static dev.sluice.bench.report.Metric.WAIT_P50;
import static dev.sluice.bench.report.Metric.WAIT_P99;

import dev.sluice.bench.report.Sample;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * The data of a measurement.
 *
 * @param outcomes one of each process
 * @param before the store's counters before the callers started
 * @param begun the same when measuring began
 * @param paused the same when it ended
 * @param after the same at the end of all
 * @param shareSent share of executed commands that clients sent; not a number without census
 * @param page what all processes of the measurement mapped
 */
public record Measured(
    List<LoopOutcome> outcomes,
    ServerCounters before,
    ServerCounters begun,
    ServerCounters paused,
    ServerCounters after,
    double shareSent,
    SharedPage page) {
  private static final String[] SCRIPT_COMMANDS = {"evalsha", "eval", "fcall"};
  private static final String[] BLOOM_COMMANDS = {
    "evalsha", "eval", "fcall", "bitfield", "bitfield_ro"
  };

  /** {@return what the store executed while measuring; not a number where it does not count} */
  public double executed() {
    return paused.calls().isEmpty() ? Double.NaN : paused.executedSince(begun);
  }

  /** {@return scripts that clients called while measuring} */
  public long scripts() {
    return paused.since(begun, "evalsha", "eval");
  }

  /** {@return turns from start to stop} */
  public long total() {
    return outcomes.stream().mapToLong(LoopOutcome::total).sum();
  }

  /** {@return turns while measuring} */
  public long turns() {
    return outcomes.stream().mapToLong(LoopOutcome::measured).sum();
  }

  /** Each turn added one: a smaller sum means that two were in at the same time. */
  public void checkExclusion(String system) {
    if (page.count() != total()) {
      throw new ExclusionBrokenException(
          system + ": " + total() + " turns under a lock but the counter says " + page.count());
    }
  }

  /** A lock let two in. */
  public static final class ExclusionBrokenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ExclusionBrokenException(String message) {
      super(message);
    }
  }

  /** {@return what every measurement has in common} */
  public Sample sample() {
    Histogram wait = Loop.newHistogram();
    Histogram turn = Loop.newHistogram();
    double rate = 0;
    double clientCpu = 0;
    for (LoopOutcome outcome : outcomes) {
      wait.add(outcome.waits());
      turn.add(outcome.turns());
      rate += outcome.measured() * 1e9 / outcome.nanos();
      clientCpu += outcome.cpuNanos() / 1e3;
    }
    double total = Math.max(1, total());
    double measured = Math.max(1, turns());
    boolean counted = !after.calls().isEmpty();
    double executed = counted ? after.executedSince(before) / total : Double.NaN;
    double serverCpu = (paused.cpuSeconds() - begun.cpuSeconds()) * 1e6 / measured;
    LongSummaryStatistics processes =
        outcomes.stream().mapToLong(LoopOutcome::measured).summaryStatistics();
    LongSummaryStatistics callers =
        outcomes.stream()
            .flatMapToLong(each -> LongStream.of(each.perCaller()))
            .summaryStatistics();
    return new Sample()
        .put(OPS, rate)
        .put(OP_P50, turn.getValueAtPercentile(50) / 1e3)
        .put(OP_P99, turn.getValueAtPercentile(99) / 1e3)
        .put(WAIT_P50, wait.getValueAtPercentile(50) / 1e3)
        .put(WAIT_P99, wait.getValueAtPercentile(99) / 1e3)
        .put(SENT, executed * shareSent)
        .put(EXECUTED, executed)
        .put(PUBLISHED, after.since(before, "publish", "spublish") / total)
        .put(THREAD_SHARE, (double) callers.getMin() / Math.max(1, callers.getMax()))
        .put(PROCESS_SHARE, (double) processes.getMax() / Math.max(1, processes.getMin()))
        .put(CLIENT_CPU, clientCpu / measured)
        .put(SERVER_CPU, counted ? serverCpu : Double.NaN)
        .put(SAMPLES, wait.getTotalCount())
        .put(REFUSED, outcomes.stream().mapToLong(LoopOutcome::refused).sum() / total)
        .put(FAILED, outcomes.stream().mapToLong(LoopOutcome::failed).sum())
        .put(SCRIPTS, after.since(before, SCRIPT_COMMANDS) / total)
        .put(SCRIPT_CPU, after.microsSince(before, SCRIPT_COMMANDS) / total)
        .put(COMMAND_CPU, after.microsSince(before, BLOOM_COMMANDS) / total);
  }
}
