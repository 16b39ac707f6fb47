package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.of;
import static dev.sluice.bench.report.Metric.AFTER_P50;
import static dev.sluice.bench.report.Metric.AFTER_P99;
import static dev.sluice.bench.report.Metric.ALL_ANSWERED;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.EXPIRIES;
import static dev.sluice.bench.report.Metric.FAILED;
import static dev.sluice.bench.report.Metric.LOADS;
import static dev.sluice.bench.report.Metric.MAX_LOADS;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.SINGLE_LOADS;
import static dev.sluice.bench.report.Metric.WAITERS;

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Spread;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Job;
import dev.sluice.bench.run.ServerCounters;
import dev.sluice.bench.run.SharedPage;
import dev.sluice.bench.run.Worker;
import dev.sluice.bench.run.WorkerProcesses;
import dev.sluice.bench.systems.Shelf;
import dev.sluice.bench.systems.Tier;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/** Many processes ask for one key that is not cached any more. */
final class StampedeWorkloads {
  private static final String US = "sluice";
  private static final String KEY = "hot";
  private static final int PROCESSES = 8;
  private static final int CALLERS = 200;

  /** In each round. */
  private static final int EXPIRIES_OF_OURS = 100;

  /** The others need longer for each, or tell the same after a few. */
  private static final int EXPIRIES_OF_PEERS = 15;

  private static final int WARM_UP = 10;

  private static final int KILL_PROCESSES = 4;
  private static final int KILL_CALLERS = 50;
  private static final long LOADER_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** So long the others have waited when the process that loads is killed. */
  private static final Duration BEFORE_THE_KILL = Duration.ofMillis(50);

  /** Below it a run only tries whether everything works. */
  private static final long TRIAL_MILLIS = 200;

  private static final ExecutorService CROWD =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "bench-crowd");
            thread.setDaemon(true);
            return thread;
          });

  private StampedeWorkloads() {}

  /**
   * The times of calls and of their answers; nanoseconds of the machine.
   *
   * @param failed calls that ended without an answer; theirs is the time of the failure
   */
  private record Rush(long[] asked, long[] answered, int failed) implements Serializable {}

  private static int processes(RunPlan plan, int most) {
    return plan.window().toMillis() < TRIAL_MILLIS ? Math.min(2, most) : most;
  }

  /** Opens a cache in each process, with a database that notes its reads on the page. */
  private static SharedPage open(
      Bench bench,
      Row row,
      int processes,
      String name,
      boolean patient,
      SimulatedDatabase.Kind kind)
      throws Exception {
    String file = bench.newFile().toString();
    bench
        .fleet(row.candidate())
        .doEach(
            processes,
            number ->
                worker -> {
                  SimulatedDatabase database =
                      new SimulatedDatabase(kind, number, SharedPage.map(Path.of(file)));
                  worker.keep(
                      name, () -> worker.library().cache(name, Tier.STORE, patient, database));
                });
    return SharedPage.map(Path.of(file));
  }

  private static Shelf shelf(Worker worker, String name) throws Exception {
    return worker.keep(
        name,
        () -> {
          throw new IllegalStateException("no cache was made that is called " + name);
        });
  }

  /** So many threads ask for one key, once and all at the same time. */
  private static IntFunction<Job<Rush>> rush(String name, int callers) {
    return number ->
        worker -> {
          Shelf shelf = shelf(worker, name);
          long[] asked = new long[callers];
          long[] answered = new long[callers];
          List<Callable<Boolean>> calls = new ArrayList<>();
          for (int i = 0; i < callers; i++) {
            int caller = i;
            calls.add(
                () -> {
                  asked[caller] = System.nanoTime();
                  try {
                    return shelf.get().apply(KEY) != null;
                  } catch (RuntimeException e) {
                    return false;
                  } finally {
                    answered[caller] = System.nanoTime();
                  }
                });
          }
          List<Boolean> had = together(calls);
          return new Rush(asked, answered, (int) had.stream().filter(each -> !each).count());
        };
  }

  /** Calls all at the same time. */
  static <T> List<T> together(List<Callable<T>> calls) throws Exception {
    List<T> results = new ArrayList<>();
    for (Future<T> each : CROWD.invokeAll(calls)) {
      results.add(each.get());
    }
    return results;
  }

  static Workload stampede() {
    return new Comparison(
            "cache",
            "stampede",
            "Stampede",
            "200 threads of each of eight JVMs ask for one key concurrently, just after it was dropped,"
                + " again and again; a load takes 50 ms. Loads: per expiry, in all JVMs together. Waiters:"
                + " callers per expiry who asked before the first load had ended and were answered after"
                + " it; answered after: how much later, by the clock that all processes share. Commands and"
                + " CPU are per caller. Sluice waits for the store for 100 ms, its default, and the second"
                + " one for 1 s; a caller that gets no answer in time loads past the store.")
        .rows(US)
        .row("sluice, 1 s", US, null)
        .rows("redisson", "jetcache", "raw")
        .measures(StampedeWorkloads::stampede)
        .columns(
            EXPIRIES,
            SINGLE_LOADS,
            LOADS,
            MAX_LOADS,
            WAITERS,
            AFTER_P50,
            AFTER_P99,
            FAILED,
            EXECUTED,
            SERVER_CPU)
        .goal(
            results -> {
              List<Sample> rounds = results.rounds(US);
              double all = rounds.stream().mapToDouble(round -> round.get(EXPIRIES)).sum();
              double single =
                  rounds.stream()
                      .mapToDouble(round -> round.get(EXPIRIES) * round.get(SINGLE_LOADS) / all)
                      .sum();
              return Goal.atLeast(
                  "Stampede: "
                      + (long) all
                      + " expiries in all rounds, share with exactly one load",
                  Spread.of(List.of(all == 0 ? Double.NaN : single)),
                  99.9,
                  " %");
            })
        .atMost(
            "Stampede: waiters answered after the load's end, p99", of(US, AFTER_P99), 10, " ms");
  }

  /** The first expiry is not counted. */
  private static Sample stampede(Bench bench, Row row, String round, RunPlan plan)
      throws Exception {
    boolean ours = row.label().equals(US);
    int full =
        round.equals("warm-up")
            ? (ours ? WARM_UP : WARM_UP / 3)
            : (ours ? EXPIRIES_OF_OURS : EXPIRIES_OF_PEERS);
    int expiries = CacheWorkloads.share(plan, full);
    int processes = processes(plan, PROCESSES);
    boolean patient = row.label().endsWith("1 s");
    String name = "stampede-" + row.candidate().id() + (patient ? "-patient-" : "-") + round;
    WorkerProcesses fleet = bench.fleet(row.candidate());
    SharedPage page = open(bench, row, processes, name, patient, SimulatedDatabase.Kind.SLOW);
    fleet.runEach(processes, rush(name, CALLERS));
    ServerCounters before = bench.server().counters();
    Histogram waits = new Histogram(1, MAX_NANOS, 2);
    long single = 0;
    long loads = 0;
    long most = 0;
    long failed = 0;
    for (int expiry = 0; expiry < expiries; expiry++) {
      fleet.run(worker -> shelf(worker, name).drop().accept(KEY));
      page.forgetLoads();
      List<Rush> answers = fleet.runEach(processes, rush(name, CALLERS));
      long now = page.loads();
      loads += now;
      most = Math.max(most, now);
      single += now == 1 ? 1 : 0;
      failed += answers.stream().mapToLong(Rush::failed).sum();
      answers.forEach(answer -> addWaits(answer, page.loadedAt(), waits));
    }
    ServerCounters after = bench.server().counters();
    double calls = (double) expiries * processes * CALLERS;
    return new Sample()
        .put(EXPIRIES, expiries)
        .put(SINGLE_LOADS, 100.0 * single / expiries)
        .put(LOADS, loads / (double) expiries)
        .put(MAX_LOADS, most)
        .put(WAITERS, waits.getTotalCount() / (double) expiries)
        .put(AFTER_P50, waits.getValueAtPercentile(50) / 1e6)
        .put(AFTER_P99, waits.getValueAtPercentile(99) / 1e6)
        .put(FAILED, failed)
        .put(EXECUTED, after.executedSince(before) / calls)
        .put(SERVER_CPU, (after.cpuSeconds() - before.cpuSeconds()) * 1e6 / calls);
  }

  /** Those who asked before the first load had ended, and were answered after it. */
  private static void addWaits(Rush answers, long loadedAt, Histogram waits) {
    for (int i = 0; i < answers.asked().length; i++) {
      long after = answers.answered()[i] - loadedAt;
      if (answers.asked()[i] - loadedAt < 0 && after >= 0) {
        waits.recordValue(Math.min(after, MAX_NANOS));
      }
    }
  }

  static Workload kill() {
    return new Comparison(
            "cache",
            "kill",
            "The loader's JVM is killed",
            "50 threads of each of four JVMs ask for one key; the first load does not end, and its JVM"
                + " is killed with SIGKILL 50 ms after it began. Loads: the killed one included. All"
                + " answered: the last caller of the other three, after the kill.")
        .rows(US, "jetcache", "raw")
        .cold()
        .measures(StampedeWorkloads::kill)
        .columns(LOADS, ALL_ANSWERED, FAILED)
        .goal(
            results ->
                Goal.atMost(
                    "Killed loader: most loads, of " + results.rounds(US).size() + " kills",
                    most(results, LOADS),
                    2,
                    ""))
        .goal(
            results ->
                Goal.atMost(
                    "Killed loader: callers without an answer, of "
                        + results.rounds(US).size()
                        + " kills",
                    most(results, FAILED),
                    0,
                    ""));
  }

  /** The greatest value of any round, as the one number it is. */
  private static Spread most(Results results, Metric metric) {
    return Spread.of(
        List.of(
            results.rounds(US).stream()
                .mapToDouble(sample -> sample.get(metric))
                .max()
                .orElse(Double.NaN)));
  }

  private static Sample kill(Bench bench, Row row, String round, RunPlan plan) throws Exception {
    int processes = processes(plan, KILL_PROCESSES);
    String name = "kill-" + row.candidate().id() + "-" + round;
    WorkerProcesses fleet = bench.fleet(row.candidate());
    SharedPage page = open(bench, row, processes, name, false, SimulatedDatabase.Kind.DEADLY);
    fleet.sendEach(processes, rush(name, KILL_CALLERS));
    long until = System.nanoTime() + LOADER_PATIENCE_NANOS;
    while (page.loader() == 0) {
      if (System.nanoTime() - until > 0) {
        throw new IllegalStateException("no process loads " + name);
      }
      Bench.pause(Duration.ofMillis(1));
    }
    Bench.pause(BEFORE_THE_KILL);
    long killed = System.nanoTime();
    fleet.kill((int) page.loader());
    List<Rush> answers = fleet.collectEach(processes - 1);
    long last =
        answers.stream()
            .flatMapToLong(answer -> LongStream.of(answer.answered()))
            .max()
            .orElseThrow();
    return new Sample()
        .put(LOADS, page.loads())
        .put(FAILED, answers.stream().mapToLong(Rush::failed).sum())
        .put(ALL_ANSWERED, (last - killed) / 1e9);
  }
}
