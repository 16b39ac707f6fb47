package dev.sluice.bench.scale;

import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Candidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One errand at several sizes: clients, waiters, or masters. */
final class CrowdWorkload implements Workload {
  /** So many that it takes seconds until all of them had their turn. */
  private static final int MANY = 5_000;

  private record Step(Row row, int size, int clients) {}

  private final String id;
  private final String title;
  private final String meaning;
  private final ClientTask task;
  private final List<Step> steps = new ArrayList<>();
  private final List<Metric> columns;
  private int measurements;

  CrowdWorkload(String id, String title, String meaning, ClientTask task, Metric... columns) {
    this.id = id;
    this.title = title;
    this.meaning = meaning;
    this.task = task;
    this.columns = List.of(columns);
  }

  /** Adds a row. */
  CrowdWorkload step(Candidate candidate, int size, String unit, int clients) {
    steps.add(new Step(new Row(label(size, unit), candidate), size, clients));
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
    return step(size).row().label();
  }

  int clients(int size) {
    return step(size).clients();
  }

  private Step step(int size) {
    return steps.stream().filter(step -> step.size() == size).findFirst().orElseThrow();
  }

  private Step step(Row row) {
    return steps.stream().filter(step -> step.row().equals(row)).findFirst().orElseThrow();
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
  public List<Row> rows() {
    return steps.stream().map(Step::row).toList();
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public void warmUp(Bench bench, Row row, RunPlan plan) throws Exception {
    Step step = step(row);
    Crowds.gather(bench, row.candidate(), step.clients());
    trial(bench, step, plan.warmUp(), Duration.ofMillis(100));
  }

  @Override
  public Sample measure(Bench bench, Row row, int round, RunPlan plan) throws Exception {
    Step step = step(row);
    // the queue has its full length only when its last waiter has come
    int times = step.clients() > MANY ? 4 : 1;
    return trial(
        bench, step, plan.leadIn().multipliedBy(2L * times), plan.window().multipliedBy(times));
  }

  private Sample trial(Bench bench, Step step, Duration leadIn, Duration window) throws Exception {
    Candidate candidate = step.row().candidate();
    String name = "scale-" + id + "-" + ++measurements;
    Sample sample =
        Crowds.run(
            bench, new Crowds.Trial(candidate, task, name, step.clients(), 1, leadIn, window));
    if (candidate.masters() == 0) {
      bench.server().empty(); // what claims leave behind would grow and grow
    }
    return sample;
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of();
  }
}
