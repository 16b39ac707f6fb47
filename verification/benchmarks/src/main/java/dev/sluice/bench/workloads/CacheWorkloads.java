package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.of;
import static dev.sluice.bench.chapter.Comparison.ratio;
import static dev.sluice.bench.report.Metric.ACCURACY;
import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.LOADS;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.PEAK;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;

import dev.sluice.Sluice;
import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Callers;
import dev.sluice.bench.run.Loop;
import dev.sluice.bench.run.ServerCounters;
import dev.sluice.bench.run.SharedPage;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.run.WorkerProcesses;
import dev.sluice.bench.systems.Shelf;
import dev.sluice.bench.systems.Tier;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Caches: hits, keys that do not exist, keys that expire together, and stampedes. */
public final class CacheWorkloads {
  private static final String US = "sluice";
  private static final int KEYS = 1024;
  private static final int BYTES_EACH = 100;

  private static final int ABSENT = 1_000_000;
  private static final int THREADS = 64;

  private static final int STORED_TOGETHER = 100_000;
  private static final int BINS = 60;
  private static final double JITTER = 0.1;
  private static final String NO_JITTER = "sluice, no jitter";

  private static final long FULL_MILLIS = RunPlan.full().window().toMillis();

  private CacheWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        near("near-1", "Hit in the process, 1 thread", "One thread reads", 1),
        near("near-2", "Hit in the process, 2 threads", "Two threads of one process read", 2),
        store(),
        penetration(),
        avalanche(),
        StampedeWorkloads.stampede(),
        StampedeWorkloads.kill());
  }

  /** {@return as much of a full run's number as the measured time is of a full run's} */
  static int share(RunPlan plan, int full) {
    return (int) Math.max(1, full * Math.min(FULL_MILLIS, plan.window().toMillis()) / FULL_MILLIS);
  }

  private static Comparison hits(
      String id, String title, String meaning, Tier tier, int threads, int batch, String floor) {
    return new Comparison("cache", id, title, meaning)
        .loop(1, WorkOrder.of("", threads))
        .rows(
            (worker, order) -> {
              SharedPage page = SharedPage.map(Path.of(order.page()));
              Shelf shelf =
                  worker
                      .library()
                      .cache(
                          order.name(),
                          tier,
                          false,
                          new SimulatedDatabase(SimulatedDatabase.Kind.FAST, 1, page));
              List<String> keys = LimitWorkloads.keys(0, KEYS);
              shelf.stock().accept(keys, new byte[BYTES_EACH]);
              return Callers.reads(order, shelf, keys, BYTES_EACH, batch);
            },
            US,
            "redisson",
            "jetcache",
            floor)
        .reads((bench, done) -> done.sample().put(LOADS, done.page().loads()))
        .floor(floor)
        .onChart();
  }

  private static Workload near(String id, String title, String who, int threads) {
    return hits(
            id,
            title,
            who
                + " 1,024 keys again and again, in a random order. Every value of 100 bytes has a"
                + " copy in the process.",
            Tier.NEAR,
            threads,
            256,
            "caffeine")
        .columns(OPS, CLIENT_CPU, EXECUTED, LOADS)
        .atLeast(": rate against Caffeine", ratio(US, "caffeine", OPS), 0.6, " x");
  }

  private static Workload store() {
    return hits(
            "store-16",
            "Hit at the store, 16 threads",
            "16 threads of one process read 1,024 keys. Every value of 100 bytes is in Redis, none in"
                + " the process.",
            Tier.STORE,
            16,
            1,
            "raw")
        .columns(OPS, OP_P50, OP_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU, LOADS)
        .atLeast(": rate against GET", ratio(US, "raw", OPS), 0.9, " x");
  }

  private static Workload penetration() {
    return new Comparison(
            "cache",
            "penetration",
            "Keys that do not exist",
            "64 threads of one process ask for 1,000,000 random keys that do not exist (a third of"
                + " them with --quick), each once. The filter has 100,000 keys and a rate of 0.01."
                + " Measured/requested: loads against 0.01 of the keys. Without a guard, every key is a load,"
                + " even with a cache.")
        .rows(US)
        .oneRound()
        .measures(CacheWorkloads::seek)
        .columns(OPS, LOADS, ACCURACY, EXECUTED, CLIENT_CPU, SERVER_CPU)
        .atMost(": loads against the filter's rate", of(US, ACCURACY), 1.05, " x");
  }

  private static Sample seek(Bench bench, Row row, String round, RunPlan plan) throws Exception {
    int asked = share(plan, ABSENT);
    bench.server().empty();
    String file = bench.newFile().toString();
    WorkerProcesses fleet = bench.fleet(row.candidate());
    fleet.run(
        worker -> {
          SimulatedDatabase empty =
              new SimulatedDatabase(SimulatedDatabase.Kind.EMPTY, 1, SharedPage.map(Path.of(file)));
          Shelf shelf = worker.library().cache("penetration", Tier.GUARDED, false, empty);
          shelf.stock().accept(LimitWorkloads.keys(0, Shelf.GUARDED_KEYS), new byte[1]);
          worker.keep("guarded", () -> shelf);
        });
    ServerCounters before = bench.server().counters();
    long[] done =
        fleet.ask(
            worker -> {
              Shelf shelf = worker.forget("guarded");
              long cpu = Loop.cpuNanos();
              long began = System.nanoTime();
              long found = find(shelf, asked);
              return new long[] {System.nanoTime() - began, Loop.cpuNanos() - cpu, found};
            });
    ServerCounters after = bench.server().counters();
    if (done[2] > 0) {
      throw new IllegalStateException(done[2] + " keys were found that do not exist");
    }
    double loads = SharedPage.map(Path.of(file)).loads();
    return new Sample()
        .put(OPS, asked * 1e9 / done[0])
        .put(LOADS, loads)
        .put(ACCURACY, loads / (asked * Shelf.GUARDED_RATE))
        .put(EXECUTED, after.executedSince(before) / (double) asked)
        .put(CLIENT_CPU, done[1] / 1e3 / asked)
        .put(SERVER_CPU, (after.cpuSeconds() - before.cpuSeconds()) * 1e6 / asked);
  }

  /** Asks for keys that do not exist, all different; {@return how many of them are found} */
  private static long find(Shelf shelf, int count) throws Exception {
    List<Callable<Long>> searches = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      SplittableRandom random = new SplittableRandom("penetration".hashCode() * 64L + i);
      int share = count / THREADS + (i < count % THREADS ? 1 : 0);
      searches.add(
          () ->
              IntStream.range(0, share)
                  .filter(
                      n ->
                          shelf.get().apply("absent/" + Long.toHexString(random.nextLong()))
                              != null)
                  .count());
    }
    long found = 0;
    for (Long each : StampedeWorkloads.together(searches)) {
      found += each;
    }
    return found;
  }

  private static Workload avalanche() {
    return new Comparison(
            "cache",
            "avalanche",
            "Keys stored together",
            "100,000 keys are stored at one moment with a TTL of ten minutes (a third of them with"
                + " --quick), and all are read every second of the last minute, in which they expire. In"
                + " virtual time, over the memory backend. Peak: loads in the worst second against the mean"
                + " of all 60.")
        .rows(US)
        .row(NO_JITTER, US, null)
        .oneRound()
        .measures(CacheWorkloads::expire)
        .columns(LOADS, PEAK)
        .atMost(": loads in the worst second against the mean", of(US, PEAK), 1.5, " x");
  }

  private static Sample expire(Bench bench, Row row, String round, RunPlan plan) throws Exception {
    int keys = share(plan, STORED_TOGETHER);
    double jitter = row.label().equals(NO_JITTER) ? 0 : JITTER;
    long[] loads = bench.fleet(row.candidate()).ask(worker -> expiries(keys, jitter));
    long sum = LongStream.of(loads).sum();
    if (sum != keys) {
      throw new IllegalStateException(sum + " loads of " + keys + " keys");
    }
    return new Sample()
        .put(LOADS, sum)
        .put(PEAK, LongStream.of(loads).max().orElseThrow() * (double) BINS / sum);
  }

  /** {@return loads in each bin of the last tenth of the TTL, in virtual time} */
  private static long[] expiries(int count, double jitter) {
    ManualTime time = new ManualTime();
    AtomicLong loads = new AtomicLong();
    byte[] value = {1};
    List<String> keys = IntStream.range(0, count).mapToObj(number -> "user/" + number).toList();
    try (Sluice sluice =
        Sluice.builder()
            .backend(new MemoryBackend(time::storeMicros))
            .time(time, time)
            .callbacks(Runnable::run)
            .build()) {
      GuardedCache<String, byte[]> cache =
          GuardedCache.create(
              sluice,
              "expiring",
              CacheOptions.of(String.class, Codec.bytes()).ttl(Shelf.TTL).jitter(jitter),
              key -> {
                loads.incrementAndGet();
                return value;
              });
      keys.forEach(key -> cache.put(key, value));
      Duration tenth = Shelf.TTL.dividedBy(10);
      time.advance(Shelf.TTL.minus(tenth));
      long before = loadsOfAll(cache, keys, loads);
      if (before > 0) {
        throw new IllegalStateException(before + " keys expired too early");
      }
      long[] bins = new long[BINS];
      for (int bin = 0; bin < bins.length; bin++) {
        time.advance(tenth.dividedBy(bins.length));
        bins[bin] = loadsOfAll(cache, keys, loads);
      }
      return bins;
    }
  }

  private static long loadsOfAll(
      GuardedCache<String, byte[]> cache, List<String> keys, AtomicLong loads) {
    long before = loads.get();
    keys.forEach(cache::get);
    return loads.get() - before;
  }
}
