package dev.sluice.bench.locks;

import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.systems.StockKind.RAW;
import static dev.sluice.bench.systems.StockKind.SLUICE;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.run.Pattern;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.StockKind;
import java.util.List;

/** Claims of one hot stock, with the goals set for them. */
public final class StockWorkloads {
  private static final Metric[] COLUMNS = {
    OPS, OP_P50, OP_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU
  };

  private static final String US = SLUICE.id();
  private static final String FLOOR = RAW.id();
  private static final int PER_CLOCK = 64;

  private StockWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(claims(1), claims(16), streamed(), soldOut());
  }

  private static Workload claims(int threads) {
    String title = "Claims one by one, " + (threads == 1 ? "1 thread" : threads + " threads");
    return both(
            "claim-" + threads,
            title,
            "One process, one stock; each thread claims a unit for somebody else each time, and"
                + " waits for the answer.",
            threads,
            Habit.PLAIN)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against the script floor",
                        results.ratio(US, FLOOR, OPS),
                        0.8,
                        " x")));
  }

  private static Workload streamed() {
    String title = "Claims without waiting for the answer, 4 threads";
    return both(
            "claim-streamed",
            title,
            "The same with 256 claims of each thread under way: the floor pipelines calls, Sluice"
                + " puts claims into batches.",
            4,
            Habit.STREAMED)
        .sampleEvery(PER_CLOCK)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": claims per second", results.of(US, OPS), 100_000, "/s")));
  }

  private static Workload soldOut() {
    String title = "Sold out, 2 threads";
    return loop(
            "sold-out",
            title,
            "Claims of a stock with nothing left, answered from memory; asked again each 10 s.",
            2,
            Habit.SOLD_OUT,
            List.of(SLUICE))
        .sampleEvery(PER_CLOCK)
        .notCharted()
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": answers per second", results.of(US, OPS), 1_000_000, "/s")));
  }

  private static LoopWorkload both(
      String id, String title, String meaning, int threads, Habit habit) {
    return loop(id, title, meaning, threads, habit, List.of(StockKind.values())).floor(FLOOR);
  }

  private static LoopWorkload loop(
      String id, String title, String meaning, int threads, Habit habit, List<StockKind> kinds) {
    LoopWorkload workload =
        new LoopWorkload(id, title, meaning, Pattern.ONE_SHARED, 1, threads).columns(COLUMNS);
    for (StockKind kind : kinds) {
      workload.with(new Contestant(kind.id(), kind, habit));
    }
    return workload;
  }
}
