package dev.sluice.bench.chapter;

import static java.util.Objects.requireNonNull;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Spread;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Job;
import dev.sluice.bench.run.Measured;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.systems.Candidates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A workload that is put together from what is measured, and from what its table shows. */
public final class Comparison implements Workload {
  /** Takes one measurement of a row. */
  public interface Measurement {
    /** Takes it; the round is a number from 1, or "warm-up". */
    Sample take(Bench bench, Row row, String round, RunPlan plan) throws Exception;
  }

  /** Looks at a row again at the end of the run, and completes its sample. */
  public interface Finish {
    /** Completes the first sample of a row. */
    void complete(Bench bench, Row row, Sample sample, RunPlan plan) throws Exception;
  }

  /** Makes a sample of what was measured. */
  public interface Reading {
    /** Makes it. */
    Sample read(Bench bench, Measured done) throws Exception;
  }

  /** Changes something while a row is measured. */
  public interface Around {
    /** Changes it; {@return how to undo that} */
    Runnable begin(Bench bench, Row row);
  }

  private record Entry(Row row, int processes, Job.@Nullable Preparation preparation) {}

  private final String chapter;
  private final String id;
  private final String title;
  private final String meaning;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Function<Results, Goal>> goals = new ArrayList<>();
  private List<Metric> columns = List.of();
  private String floor = "";
  private boolean charted;
  private boolean once;
  private boolean warm = true;
  private @Nullable Measurement measurement;
  private @Nullable Finish finish;
  private Around around = (bench, row) -> () -> {};
  private Reading reading = (bench, done) -> done.sample();
  private int processes = 1;
  private WorkOrder order = WorkOrder.of("", 1);
  private int windows = 1;

  /** A workload of which rows, columns and what is measured are still to be said. */
  public Comparison(String chapter, String id, String title, String meaning) {
    this.chapter = chapter;
    this.id = id;
    this.title = title;
    this.meaning = meaning;
  }

  // ---- rows and columns ----

  /** Adds rows of candidates, under their own ids. */
  public Comparison rows(Job.@Nullable Preparation preparation, String... ids) {
    for (String each : ids) {
      row(each, each, preparation);
    }
    return this;
  }

  /** Adds rows of candidates that are not measured in a loop. */
  public Comparison rows(String... ids) {
    return rows(null, ids);
  }

  /** Adds a row under another label. */
  public Comparison row(String label, String candidate, Job.@Nullable Preparation preparation) {
    return row(label, candidate, preparation, 0);
  }

  /** Adds a row with a separate number of processes. */
  public Comparison row(
      String label, String candidate, Job.@Nullable Preparation preparation, int own) {
    entries.add(new Entry(new Row(label, Candidates.of(chapter, candidate)), own, preparation));
    return this;
  }

  /** Sets the metrics of the table. */
  public Comparison columns(Metric... metrics) {
    columns = List.of(metrics);
    return this;
  }

  /** Sets the row that the others are compared with. */
  public Comparison floor(String label) {
    floor = label;
    return this;
  }

  /** Puts the rates on the chart. */
  public Comparison onChart() {
    charted = true;
    return this;
  }

  // ---- what is measured ----

  /**
   * Measures callers of processes in a loop, each row with its own preparation.
   *
   * @param template what each process does, but for names and numbers
   */
  public Comparison loop(int processCount, WorkOrder template) {
    processes = processCount;
    order = template;
    return this;
  }

  /** Measures for so many times the window of other rows. */
  public Comparison windows(int count) {
    windows = count;
    return this;
  }

  /** Makes the sample of a loop in another way. */
  public Comparison reads(Reading how) {
    reading = how;
    return this;
  }

  /** Measures something that is not a loop. */
  public Comparison measures(Measurement how) {
    measurement = how;
    return this;
  }

  /** Changes something while a row is measured. */
  public Comparison around(Around how) {
    around = how;
    return this;
  }

  /** One round says it all. */
  public Comparison oneRound() {
    once = true;
    return cold();
  }

  /** There is nothing to get warm. */
  public Comparison cold() {
    warm = false;
    return this;
  }

  /** Looks again at the end of the run. */
  public Comparison finishes(Finish how) {
    finish = how;
    return this;
  }

  // ---- goals ----

  /** Sets a goal; a text that begins with a colon follows the title. */
  public Comparison atLeast(
      String text, Function<Results, Spread> measured, double bound, String unit) {
    goals.add(results -> Goal.atLeast(text(text), measured.apply(results), bound, unit));
    return this;
  }

  /** Sets a goal; a text that begins with a colon follows the title. */
  public Comparison atMost(
      String text, Function<Results, Spread> measured, double bound, String unit) {
    goals.add(results -> Goal.atMost(text(text), measured.apply(results), bound, unit));
    return this;
  }

  /** Sets a goal of which more than the measured number depends on the results. */
  public Comparison goal(Function<Results, Goal> goal) {
    goals.add(goal);
    return this;
  }

  private String text(String text) {
    return text.startsWith(":") ? title + text : text;
  }

  /** The number of a row. */
  public static Function<Results, Spread> of(String row, Metric metric) {
    return results -> results.of(row, metric);
  }

  /** How many times the number of another row. */
  public static Function<Results, Spread> ratio(String row, String other, Metric metric) {
    return results -> results.ratio(row, other, metric);
  }

  // ---- the workload ----

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
  public List<Row> rows() {
    return entries.stream().map(Entry::row).toList();
  }

  @Override
  public boolean once() {
    return once;
  }

  @Override
  public void warmUp(Bench bench, Row row, RunPlan plan) throws Exception {
    if (!warm) {
      return;
    }
    if (measurement != null) {
      measurement.take(bench, row, "warm-up", plan);
    } else {
      // Cores are shared: many processes take as many times as long to get their code compiled.
      loop(bench, row, "warm-up", plan.warmUp().multipliedBy(processes), Duration.ZERO);
    }
  }

  @Override
  public Sample measure(Bench bench, Row row, int round, RunPlan plan) throws Exception {
    String name = Integer.toString(round);
    if (measurement != null) {
      return measurement.take(bench, row, name, plan);
    }
    Runnable undo = around.begin(bench, row);
    try {
      return loop(bench, row, name, plan.leadIn(), plan.window().multipliedBy(windows));
    } finally {
      undo.run();
    }
  }

  private Sample loop(Bench bench, Row row, String round, Duration leadIn, Duration window)
      throws Exception {
    Entry entry = entries.stream().filter(each -> each.row().equals(row)).findFirst().orElseThrow();
    Job.Preparation preparation = requireNonNull(entry.preparation());
    Measured done =
        bench.measure(
            new Bench.Trial(
                row.candidate(),
                order.named(name(row, round)),
                entry.processes() > 0 ? entry.processes() : processes,
                leadIn,
                window,
                round.equals("1")),
            preparation);
    preparation.check(row.candidate().id(), done);
    return reading.read(bench, done);
  }

  /** {@return a name that is fresh for each measurement} */
  public String name(Row row, String round) {
    return ("bench-" + id + "-" + row.label() + "-" + round).replaceAll("[ ,]+", "-");
  }

  @Override
  public void finish(Bench bench, Results results, RunPlan plan) throws Exception {
    for (Row row : rows()) {
      List<Sample> samples = results.rounds(row.label());
      if (finish != null && !samples.isEmpty()) {
        finish.complete(bench, row, samples.get(0), plan);
      }
    }
  }

  @Override
  public List<Goal> goals(Results results) {
    return goals.stream().map(each -> each.apply(results)).toList();
  }
}
