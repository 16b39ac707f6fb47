package dev.sluice.bench.run;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.systems.CacheKind;
import dev.sluice.bench.systems.CacheSystem;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Measures caches. */
public final class CacheRuns {
  private static final String KEY = "hot";
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long LOADER_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** So long the others have waited when the process that loads is killed. */
  private static final Duration BEFORE_THE_KILL = Duration.ofMillis(50);

  private CacheRuns() {}

  /**
   * Reads of values that are cached.
   *
   * @param cache name of the cache, fresh for each measurement
   * @param keys a power of two
   * @param batch reads between two looks at the clock
   * @param census whether to watch, after the timed part, which commands came from clients
   */
  public record Hits(
      CacheKind kind,
      String cache,
      Tier tier,
      int keys,
      int bytes,
      int threads,
      int batch,
      Duration leadIn,
      Duration window,
      boolean census) {}

  /** Takes one measurement of hits. */
  public static Sample hits(Bench bench, Hits trial) throws InterruptedException, IOException {
    Fleet fleet = bench.fleet(trial.kind(), Bench.DEFAULT_TTL);
    fleet.grow(1);
    String cache = trial.cache();
    Shared shared = Shared.make(bench);
    open(fleet, 1, cache, trial.tier(), Habit.PLAIN, Database.Kind.FAST, shared);
    fleet.ask(Reply.Done.class, new Order.Stock(cache, trial.keys(), trial.bytes()));
    fleet.ask(
        Reply.Done.class,
        new Order.Read(cache, trial.keys(), trial.bytes(), trial.threads(), trial.batch()));
    Counters before = bench.server().counters();
    fleet.ask(Reply.Done.class, new Order.Go());
    Bench.Phases<Reply.Outcome> done =
        bench.phases(fleet, 1, Reply.Outcome.class, trial.leadIn(), trial.window(), trial.census());
    return Bench.sample(done.replies(), before, done).put(Metric.LOADS, shared.page().loads());
  }

  /** What all processes of a measurement map. */
  private record Shared(Path file, SharedPage page) {
    static Shared make(Bench bench) throws IOException {
      Path file = bench.newFile("page");
      return new Shared(file, SharedPage.map(file));
    }
  }

  private static void open(
      Fleet fleet,
      int processes,
      String cache,
      Tier tier,
      Habit habit,
      Database.Kind database,
      Shared shared)
      throws InterruptedException {
    fleet.askEach(
        processes,
        Reply.Done.class,
        process ->
            new Order.OpenShelf(cache, tier, habit, database, process, shared.file().toString()));
  }

  /**
   * Many who ask for one key at once, again and again.
   *
   * @param cache name of the cache, fresh for each measurement
   * @param callers threads of each process
   * @param expiries how often the key is dropped and asked for
   */
  public record Stampede(
      CacheKind kind, Habit habit, String cache, int processes, int callers, int expiries) {}

  /** Takes one measurement of stampedes. The first of them is not counted. */
  public static Sample stampede(Bench bench, Stampede trial)
      throws InterruptedException, IOException {
    Fleet fleet = bench.fleet(trial.kind(), Bench.DEFAULT_TTL);
    int processes = trial.processes();
    fleet.grow(processes);
    Shared shared = Shared.make(bench);
    open(fleet, processes, trial.cache(), Tier.STORE, trial.habit(), Database.Kind.SLOW, shared);
    Order rush = new Order.Rush(trial.cache(), KEY, trial.callers());
    fleet.askEach(processes, Reply.Rushed.class, process -> rush);

    Counters before = bench.server().counters();
    Histogram waits = new Histogram(1, LONGEST_NANOS, 2);
    long single = 0;
    long loads = 0;
    long most = 0;
    long failed = 0;
    for (int expiry = 0; expiry < trial.expiries(); expiry++) {
      fleet.ask(Reply.Done.class, new Order.Drop(trial.cache(), KEY));
      shared.page().forgetLoads();
      List<Reply.Rushed> answers = fleet.askEach(processes, Reply.Rushed.class, process -> rush);
      long now = shared.page().loads();
      loads += now;
      most = Math.max(most, now);
      single += now == 1 ? 1 : 0;
      failed += answers.stream().mapToLong(Reply.Rushed::failed).sum();
      answers.forEach(answer -> addWaits(answer, shared.page().loadedAt(), waits));
    }
    Counters after = bench.server().counters();
    double expiries = trial.expiries();
    double calls = expiries * processes * trial.callers();
    return new Sample()
        .put(Metric.EXPIRIES, expiries)
        .put(Metric.SINGLE_LOADS, 100 * single / expiries)
        .put(Metric.LOADS, loads / expiries)
        .put(Metric.MOST_LOADS, most)
        .put(Metric.WAITERS, waits.getTotalCount() / expiries)
        .put(Metric.AFTER_P50, waits.getValueAtPercentile(50) / 1e6)
        .put(Metric.AFTER_P99, waits.getValueAtPercentile(99) / 1e6)
        .put(Metric.FAILED, failed)
        .put(Metric.EXECUTED, after.executedSince(before) / calls)
        .put(Metric.SERVER_CPU, (after.cpuSeconds() - before.cpuSeconds()) * 1e6 / calls);
  }

  /** Those who asked before the first load had ended, and were answered after it. */
  private static void addWaits(Reply.Rushed answers, long loadedAt, Histogram waits) {
    for (int i = 0; i < answers.asked().length; i++) {
      long after = answers.answered()[i] - loadedAt;
      if (answers.asked()[i] - loadedAt < 0 && after >= 0) {
        waits.recordValue(Math.min(after, LONGEST_NANOS));
      }
    }
  }

  /** The same, once, and the process that loads is killed meanwhile. */
  public static Sample killLoader(Bench bench, Stampede trial)
      throws InterruptedException, IOException {
    Fleet fleet = bench.fleet(trial.kind(), Bench.DEFAULT_TTL);
    int processes = trial.processes();
    fleet.grow(processes);
    bench.server().empty(); // two of the systems name their keys alike
    Shared shared = Shared.make(bench);
    open(fleet, processes, trial.cache(), Tier.STORE, trial.habit(), Database.Kind.DEADLY, shared);
    Order rush = new Order.Rush(trial.cache(), KEY, trial.callers());
    fleet.tellEach(processes, process -> rush);
    long until = System.nanoTime() + LOADER_PATIENCE_NANOS;
    while (shared.page().loader() == 0) {
      if (System.nanoTime() - until > 0) {
        throw new IllegalStateException("nobody loads " + trial.cache());
      }
      Bench.pause(Duration.ofMillis(1));
    }
    Bench.pause(BEFORE_THE_KILL);
    long killed = System.nanoTime();
    fleet.kill((int) shared.page().loader());
    List<Reply.Rushed> answers = fleet.hearEach(processes - 1, Reply.Rushed.class);
    long last =
        answers.stream()
            .flatMapToLong(answer -> Arrays.stream(answer.answered()))
            .max()
            .orElseThrow();
    return new Sample()
        .put(Metric.LOADS, shared.page().loads())
        .put(Metric.FAILED, answers.stream().mapToLong(Reply.Rushed::failed).sum())
        .put(Metric.ALL_ANSWERED, (last - killed) / 1e9);
  }

  /** Takes one measurement of reads of keys that do not exist. */
  public static Sample seek(Bench bench, CacheKind kind, String cache, int count, int threads)
      throws InterruptedException, IOException {
    Fleet fleet = bench.fleet(kind, Bench.DEFAULT_TTL);
    fleet.grow(1);
    bench.server().empty();
    Shared shared = Shared.make(bench);
    open(fleet, 1, cache, Tier.GUARDED, Habit.PLAIN, Database.Kind.EMPTY, shared);
    fleet.ask(Reply.Done.class, new Order.Stock(cache, CacheSystem.GUARDED_KEYS, 1));
    Counters before = bench.server().counters();
    Reply.Sought done =
        fleet.ask(Reply.Sought.class, new Order.Seek(cache, count, threads, cache.hashCode()));
    Counters after = bench.server().counters();
    if (done.found() > 0) {
      throw new IllegalStateException(done.found() + " keys were found that do not exist");
    }
    double asked = count;
    return new Sample()
        .put(Metric.OPS, asked * 1e9 / done.nanos())
        .put(Metric.LOADS, shared.page().loads())
        .put(Metric.ACCURACY, shared.page().loads() / (asked * CacheSystem.GUARDED_RATE))
        .put(Metric.EXECUTED, after.executedSince(before) / asked)
        .put(Metric.CLIENT_CPU, done.cpuNanos() / 1e3 / asked)
        .put(Metric.SERVER_CPU, (after.cpuSeconds() - before.cpuSeconds()) * 1e6 / asked);
  }

  /** Takes one measurement of keys that expire after they were stored together. */
  public static Sample expire(
      Bench bench, CacheKind kind, int keys, Duration ttl, double jitter, int bins)
      throws InterruptedException {
    Fleet fleet = bench.fleet(kind, Bench.DEFAULT_TTL);
    long[] loads =
        fleet.ask(Reply.Expired.class, new Order.Expire(keys, ttl, jitter, bins)).loads();
    long sum = Arrays.stream(loads).sum();
    if (sum != keys) {
      throw new IllegalStateException(sum + " loads of " + keys + " keys");
    }
    return new Sample()
        .put(Metric.LOADS, sum)
        .put(Metric.PEAK, Arrays.stream(loads).max().orElseThrow() * (double) bins / sum);
  }
}
