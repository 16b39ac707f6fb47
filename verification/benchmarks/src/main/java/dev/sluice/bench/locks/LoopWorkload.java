package dev.sluice.bench.locks;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Pattern;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Threads that run a pattern again and again, for a measured while. */
final class LoopWorkload implements Workload {

  /** A contestant with its own pattern: the floor of a hand-over is a plain round trip. */
  private record Entry(Contestant contestant, Pattern pattern, int processes) {}

  private final String id;
  private final String title;
  private final String meaning;
  private final int processes;
  private final int threads;
  private final Pattern pattern;
  private final List<Entry> entries = new ArrayList<>();
  private List<Metric> columns = List.of();
  private String floor = "";
  private int sampleEvery = 1;
  private int windows = 1;
  private boolean charted = true;
  private Function<Results, List<Goal>> goals = results -> List.of();

  LoopWorkload(
      String id, String title, String meaning, Pattern pattern, int processes, int threads) {
    this.id = id;
    this.title = title;
    this.meaning = meaning;
    this.pattern = pattern;
    this.processes = processes;
    this.threads = threads;
  }

  LoopWorkload with(Contestant contestant) {
    entries.add(new Entry(contestant, pattern, processes));
    return this;
  }

  /** Adds one that does something else, in one process. */
  LoopWorkload with(Contestant contestant, Pattern ownPattern) {
    entries.add(new Entry(contestant, ownPattern, 1));
    return this;
  }

  LoopWorkload columns(Metric... metrics) {
    columns = List.of(metrics);
    return this;
  }

  LoopWorkload floor(String label) {
    floor = label;
    return this;
  }

  /** Reads the clock every so many turns: where a turn costs less than reading it. */
  LoopWorkload sampleEvery(int turns) {
    sampleEvery = turns;
    return this;
  }

  /** Measures so many times as long as others. */
  LoopWorkload windows(int count) {
    windows = count;
    return this;
  }

  LoopWorkload notCharted() {
    charted = false;
    return this;
  }

  LoopWorkload goals(Function<Results, List<Goal>> about) {
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
    return charted;
  }

  @Override
  public List<Contestant> contestants() {
    return entries.stream().map(Entry::contestant).toList();
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
    Entry entry =
        entries.stream()
            .filter(each -> each.contestant().equals(contestant))
            .findFirst()
            .orElseThrow();
    String lock = "bench-" + id + "-" + contestant.label() + "-" + round;
    return bench.run(
        new Bench.Trial(
            contestant.kind(),
            contestant.habit(),
            entry.pattern(),
            lock.replace(' ', '-'),
            entry.processes(),
            threads,
            sampleEvery,
            leadIn,
            window,
            census));
  }

  @Override
  public List<Goal> goals(Results results) {
    return goals.apply(results);
  }
}
