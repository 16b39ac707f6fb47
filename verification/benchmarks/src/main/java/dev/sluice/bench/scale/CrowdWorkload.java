package dev.sluice.bench.scale;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Crowds;
import dev.sluice.bench.run.Errand;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.ScaleKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One errand at several sizes: clients, waiters, or masters. */
final class CrowdWorkload implements Workload {
  /** So many that it takes seconds until all of them had their turn. */
  private static final int MANY = 5_000;

  private record Step(Contestant contestant, int size, int clients) {}

  private final String id;
  private final String title;
  private final String meaning;
  private final Errand errand;
  private final List<Step> steps = new ArrayList<>();
  private final List<Metric> columns;
  private int measurements;

  CrowdWorkload(String id, String title, String meaning, Errand errand, Metric... columns) {
    this.id = id;
    this.title = title;
    this.meaning = meaning;
    this.errand = errand;
    this.columns = List.of(columns);
  }

  /** Adds a row. */
  CrowdWorkload step(ScaleKind kind, int size, String unit, int clients) {
    steps.add(new Step(new Contestant(label(size, unit), kind, Habit.PLAIN), size, clients));
    return this;
  }

  static String label(int size, String unit) {
    return String.format("%,d ", size) + unit + (size == 1 ? "" : "s");
  }

  /** {@return the sizes in the order of the table} */
  List<Integer> sizes() {
    return steps.stream().map(Step::size).toList();
  }

  String label(int size) {
    return step(size).contestant().label();
  }

  int clients(int size) {
    return step(size).clients();
  }

  private Step step(int size) {
    return steps.stream().filter(step -> step.size() == size).findFirst().orElseThrow();
  }

  private Step step(Contestant contestant) {
    return steps.stream()
        .filter(step -> step.contestant().equals(contestant))
        .findFirst()
        .orElseThrow();
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
  public List<Metric> columns() {
    return columns;
  }

  @Override
  public List<Contestant> contestants() {
    return steps.stream().map(Step::contestant).toList();
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    Step step = step(contestant);
    Crowds.gather(bench, (ScaleKind) contestant.kind(), step.clients());
    trial(bench, step, pace.warmUp(), Duration.ofMillis(100));
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Step step = step(contestant);
    // the last in line has to come first before the line is as long as it is said to be
    int times = step.clients() > MANY ? 4 : 1;
    return trial(
        bench, step, pace.leadIn().multipliedBy(2L * times), pace.window().multipliedBy(times));
  }

  private Sample trial(Bench bench, Step step, Duration leadIn, Duration window) throws Exception {
    ScaleKind kind = (ScaleKind) step.contestant().kind();
    String name = "scale-" + id + "-" + ++measurements;
    Sample sample =
        Crowds.run(bench, new Crowds.Trial(kind, errand, name, step.clients(), 1, leadIn, window));
    if (kind == ScaleKind.REDIS) {
      bench.server().empty(); // what claims leave behind would grow and grow
    }
    return sample;
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of();
  }
}
