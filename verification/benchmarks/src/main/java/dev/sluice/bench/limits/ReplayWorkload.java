package dev.sluice.bench.limits;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Fleet;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.LimitKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How fast the command line replays an access log against policies. */
final class ReplayWorkload implements Workload {
  private static final int ADDRESSES = 100_000;
  private static final String ONE = "sluice, token bucket";

  private static final Map<String, List<String>> POLICIES = new LinkedHashMap<>();

  static {
    POLICIES.put(ONE, List.of("token-bucket 10/s burst 20"));
    POLICIES.put("sluice, sliding window", List.of("sliding-window 100/1m"));
    POLICIES.put(
        "sluice, both at once", List.of("token-bucket 10/s burst 20", "sliding-window 100/1m"));
  }

  @Override
  public String id() {
    return "replay";
  }

  @Override
  public String title() {
    return "Replay of an access log";
  }

  @Override
  public String meaning() {
    return "One process replays a made-up log in Common Log Format with 100,000 addresses, which it"
        + " makes up while it reads. Per core: by the CPU time of the process.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.LINES, Metric.LINES_PER_CORE);
  }

  @Override
  public List<Contestant> contestants() {
    return POLICIES.keySet().stream()
        .map(label -> new Contestant(label, LimitKind.SLUICE, Habit.PLAIN))
        .toList();
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    replay(bench, contestant, pace);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    return replay(bench, contestant, pace);
  }

  /** As many lines as take about a window at the rate that is asked for. */
  private static Sample replay(Bench bench, Contestant contestant, Pace pace) throws Exception {
    Fleet fleet = bench.fleet(contestant.kind(), Bench.DEFAULT_TTL);
    long lines = pace.window().toMillis() * 1_000;
    List<String> policies = POLICIES.getOrDefault(contestant.label(), List.of());
    Bench.Replayed done = bench.replay(fleet, lines, ADDRESSES, policies);
    return new Sample()
        .put(Metric.LINES, lines / done.seconds())
        .put(Metric.LINES_PER_CORE, lines / done.cpuSeconds());
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atLeast(
            "Replay, one policy: lines per second and core",
            results.of(ONE, Metric.LINES_PER_CORE),
            1_000_000,
            ""));
  }
}
