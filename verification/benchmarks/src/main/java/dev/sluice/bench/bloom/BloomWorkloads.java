package dev.sluice.bench.bloom;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.run.Task;
import dev.sluice.bench.systems.BloomKind;
import java.util.List;
import java.util.function.Function;

/** The workloads of the third chapter, with the goals that were set for it. */
public final class BloomWorkloads {
  private static final String US = BloomKind.SLUICE.id();
  private static final String THEM = BloomKind.REDISSON.id();
  private static final String FLOOR = BloomKind.RAW.id();

  private BloomWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        single(Task.CHECK, 1),
        single(Task.ADD, 1),
        single(Task.CHECK, 16),
        single(Task.ADD, 16),
        pipelined(Task.CHECK),
        pipelined(Task.ADD),
        bulk(Task.CHECK_100),
        bulk(Task.ADD_100),
        new AtOnceWorkload(),
        new AccuracyWorkload());
  }

  private static String verb(Task task) {
    return task == Task.CHECK || task == Task.CHECK_100 ? "check" : "add";
  }

  private static Workload single(Task task, int threads) {
    String verb = verb(task);
    String title =
        (verb.equals("add") ? "Adding" : "Asking for")
            + " single elements, "
            + threads
            + " threads";
    String shown = threads == 1 ? title.replace("1 threads", "one thread") : title;
    return new ProbeWorkload(
        verb + "-" + threads,
        shown,
        "Blocking calls with 200,000 elements, at random, which are all there; seven bits each.",
        task,
        threads,
        false,
        threads == 1
            ? cpu(shown, 2)
            : results -> List.of(rate(shown, results, THEM, 2), rate(shown, results, FLOOR, 0.9)));
  }

  private static Workload pipelined(Task task) {
    String title = (task == Task.ADD ? "Adding" : "Asking for") + " single elements, 256 in flight";
    return new ProbeWorkload(
        verb(task) + "-async",
        title,
        "The same in 256 chains, in which each answer starts the next call: so the server finds many"
            + " commands at once.",
        task,
        256,
        true,
        cpu(title, 3));
  }

  private static Workload bulk(Task task) {
    String title = (task == Task.ADD_100 ? "Adding" : "Asking for") + " 100 elements in a call";
    return new ProbeWorkload(
        verb(task) + "-100",
        title,
        "Four threads; the rate is that of calls.",
        task,
        4,
        false,
        results -> List.of(rate(title, results, THEM, 1.8), rate(title, results, FLOOR, 0.8)));
  }

  private static Function<Results, List<Goal>> cpu(String title, double times) {
    return results ->
        List.of(
            Goal.atLeast(
                title + ": Redisson's server CPU per call against ours",
                results.ratio(THEM, US, Metric.SERVER_CPU),
                times,
                " x"));
  }

  private static Goal rate(String title, Results results, String other, double times) {
    return Goal.atLeast(
        title + ": rate against " + other, results.ratio(US, other, Metric.OPS), times, " x");
  }
}
