package dev.sluice.bench.inprocess;

import static dev.sluice.bench.report.Metric.ALLOCATED;
import static dev.sluice.bench.report.Metric.NANOS;
import static dev.sluice.bench.report.Metric.OPS;

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Workloads that never leave the JVM: benchmarks of two methods, ours and a floor; each round of
 * each runs in a new JVM. There are no goals: the ratios are for the regression gate.
 */
public final class InProcessWorkloads {
  private static final int ITERATIONS = 3;

  /** Every round begins with a JVM that has compiled nothing. */
  private static final Duration MIN_WARM_UP = Duration.ofSeconds(1);

  private static final String ALLOCATED_NORM = "gc.alloc.rate.norm";

  private InProcessWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        jmh(
            "lock",
            "Lock in memory, acquire and release",
            "One thread acquires and releases an uncontended lock. Ours is a renewing"
                + " lease with a fencing token.",
            LockCost.class,
            "ReentrantLock"),
        jmh(
            "limit",
            "Rate limit, on permits taken in advance",
            "One thread asks for one key, and the process has permits. The floor is one atomic"
                + " number and a look at the clock.",
            LimitCost.class,
            "bare"),
        jmh(
            "bloom",
            "Bloom filter, from a key to its bits",
            "A key of 14 characters becomes bytes, a hash and the numbers of seven bits. The floor"
                + " is bytes and hash.",
            BloomCost.class,
            "bare"),
        jmh(
            "near",
            "Cache, hit in the process",
            "One thread reads 1,024 keys in turn. Every value of 100 bytes has a copy in the"
                + " process.",
            NearCost.class,
            "caffeine"),
        jmh(
            "memo",
            "Limited stock, known to be sold out",
            "1,024 claimants in turn get the answer that nothing is left, and no store is asked. The floor"
                + " is a flag and a set of those who have bought.",
            MemoCost.class,
            "bare"),
        jmh(
            "guard",
            "Guard in memory, a token is shown",
            "1,024 resources in turn, each time the token that each has seen. The floor is the"
                + " greater of two tokens in a map.",
            GuardCost.class,
            "bare"));
  }

  private static Workload jmh(
      String id, String title, String meaning, Class<?> benchmark, String floor) {
    return new Comparison("in-process", id, title, meaning)
        .rows("sluice", floor)
        .cold()
        .measures((bench, row, round, plan) -> run(bench, row, plan, benchmark))
        .floor(floor)
        .columns(OPS, NANOS, ALLOCATED)
        .onChart();
  }

  private static Sample run(Bench bench, Row row, RunPlan plan, Class<?> benchmark)
      throws RunnerException {
    String method = row.label().equals("sluice") ? "sluice" : "floor";
    Options options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(benchmark.getName() + "." + method) + "$")
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .threads(1)
            .forks(1)
            .jvmArgs(bench.jvmFlags().split(" "))
            .warmupIterations(1)
            .warmupTime(time(warmUp(plan)))
            .measurementIterations(ITERATIONS)
            .measurementTime(time(plan.window().dividedBy(ITERATIONS)))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    RunResult result = new Runner(options).runSingle();
    double nanos = result.getPrimaryResult().getScore();
    return new Sample().put(OPS, 1e9 / nanos).put(NANOS, nanos).put(ALLOCATED, allocated(result));
  }

  /** JMH has written a dot in front of it, and none. */
  private static double allocated(RunResult result) {
    return result.getSecondaryResults().entrySet().stream()
        .filter(each -> each.getKey().endsWith(ALLOCATED_NORM))
        .map(Map.Entry::getValue)
        .mapToDouble(Result::getScore)
        .findFirst()
        .orElse(Double.NaN);
  }

  private static Duration warmUp(RunPlan plan) {
    boolean tiny = plan.window().compareTo(MIN_WARM_UP.dividedBy(10)) < 0; // of a test
    return tiny || plan.warmUp().compareTo(MIN_WARM_UP) > 0 ? plan.warmUp() : MIN_WARM_UP;
  }

  private static TimeValue time(Duration time) {
    return TimeValue.milliseconds(time.toMillis());
  }
}
