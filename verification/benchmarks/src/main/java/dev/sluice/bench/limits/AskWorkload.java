package dev.sluice.bench.limits;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Admissions;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.LimitKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Callers that ask a limiter again and again, for a measured while. */
final class AskWorkload implements Workload {
  private final String id;
  private final String title;
  private final String meaning;
  private final int processes;
  private final int callers;
  private final List<Contestant> contestants = new ArrayList<>();
  private Allowance allowance = Allowance.ample();
  private List<Metric> columns = List.of();
  private String floor = "";
  private int keys = 1;
  private boolean async;
  private int sampleEvery = 1;
  private int windows = 1;
  private long perSecond;
  private Function<Results, List<Goal>> goals = results -> List.of();

  AskWorkload(String id, String title, String meaning, int processes, int callers) {
    this.id = id;
    this.title = title;
    this.meaning = meaning;
    this.processes = processes;
    this.callers = callers;
  }

  AskWorkload with(Contestant contestant) {
    contestants.add(contestant);
    return this;
  }

  /** All who have a limiter of this kind. */
  AskWorkload with(LimitKind... kinds) {
    for (LimitKind kind : kinds) {
      contestants.add(Contestant.of(kind));
    }
    return this;
  }

  AskWorkload keys(int count) {
    keys = count;
    return this;
  }

  /** The callers of a process are that many calls in flight, not threads. */
  AskWorkload async() {
    async = true;
    return this;
  }

  /** Reads the clock every so many calls: where a call costs less than reading it. */
  AskWorkload sampleEvery(int calls) {
    sampleEvery = calls;
    return this;
  }

  /** So many calls a second for what this lets through; every admission is checked. */
  AskWorkload overload(Allowance allowed, long callsPerSecond, int times) {
    allowance = allowed;
    perSecond = callsPerSecond;
    windows = times;
    return this;
  }

  AskWorkload floor(String label) {
    floor = label;
    return this;
  }

  AskWorkload columns(Metric... metrics) {
    columns = List.of(metrics);
    return this;
  }

  AskWorkload goals(Function<Results, List<Goal>> about) {
    goals = about;
    return this;
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
    return floor;
  }

  @Override
  public List<Metric> columns() {
    return columns;
  }

  @Override
  public boolean charted() {
    return perSecond == 0;
  }

  @Override
  public List<Contestant> contestants() {
    return List.copyOf(contestants);
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    // Cores are shared: many processes take as many times as long to get their code compiled.
    Duration time = pace.warmUp().multipliedBy(processes);
    trial(bench, contestant, "warm-up", time, Duration.ZERO, false);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Duration window = pace.window().multipliedBy(windows);
    return trial(bench, contestant, Integer.toString(round), pace.leadIn(), window, round == 1);
  }

  private Sample trial(
      Bench bench,
      Contestant contestant,
      String round,
      Duration leadIn,
      Duration window,
      boolean census)
      throws Exception {
    String limiter = "bench-" + id + "-" + contestant.label() + "-" + round;
    return Admissions.run(
        bench,
        new Admissions.Trial(
            (LimitKind) contestant.kind(),
            contestant.habit(),
            allowance,
            limiter.replace(' ', '-').replace(',', '-'),
            keys,
            processes,
            callers,
            async,
            sampleEvery,
            perSecond,
            perSecond > 0,
            leadIn,
            window,
            census));
  }

  @Override
  public List<Goal> goals(Results results) {
    return goals.apply(results);
  }
}
