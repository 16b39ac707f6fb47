package dev.sluice.bench.inprocess;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.InProcessKind;
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

/** A benchmark of two methods, ours and a floor; each round of each is a JVM of its own. */
final class JmhWorkload implements Workload {
  private static final int ITERATIONS = 3;

  /** Every round begins with a JVM that has compiled nothing. */
  private static final Duration LEAST_WARM_UP = Duration.ofSeconds(1);

  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final String id;
  private final String title;
  private final String meaning;
  private final Class<?> benchmark;
  private final InProcessKind floor;

  JmhWorkload(String id, String title, String meaning, Class<?> benchmark, InProcessKind floor) {
    this.id = id;
    this.title = title;
    this.meaning = meaning;
    this.benchmark = benchmark;
    this.floor = floor;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public String meaning() {
    return meaning;
  }

  @Override
  public String floor() {
    return floor.id();
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.OPS, Metric.NANOS, Metric.ALLOCATED);
  }

  @Override
  public boolean charted() {
    return true;
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(Contestant.of(InProcessKind.SLUICE), Contestant.of(floor));
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace)
      throws RunnerException {
    String method = contestant.kind() == InProcessKind.SLUICE ? "sluice" : "floor";
    Options options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(benchmark.getName() + "." + method) + "$")
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .threads(1)
            .forks(1)
            .jvmArgs(bench.jvmFlags().split(" "))
            .warmupIterations(1)
            .warmupTime(time(warmUp(pace)))
            .measurementIterations(ITERATIONS)
            .measurementTime(time(pace.window().dividedBy(ITERATIONS)))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    RunResult result = new Runner(options).runSingle();
    double nanos = result.getPrimaryResult().getScore();
    return new Sample()
        .put(Metric.OPS, 1e9 / nanos)
        .put(Metric.NANOS, nanos)
        .put(Metric.ALLOCATED, allocated(result));
  }

  /** JMH has written a dot in front of it, and none. */
  private static double allocated(RunResult result) {
    return result.getSecondaryResults().entrySet().stream()
        .filter(each -> each.getKey().endsWith(ALLOCATED))
        .map(Map.Entry::getValue)
        .mapToDouble(Result::getScore)
        .findFirst()
        .orElse(Double.NaN);
  }

  private static Duration warmUp(Pace pace) {
    boolean tiny = pace.window().compareTo(LEAST_WARM_UP.dividedBy(10)) < 0; // of a test
    return tiny || pace.warmUp().compareTo(LEAST_WARM_UP) > 0 ? pace.warmUp() : LEAST_WARM_UP;
  }

  private static TimeValue time(Duration time) {
    return TimeValue.milliseconds(time.toMillis());
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of();
  }
}
