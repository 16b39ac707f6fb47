package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.of;
import static dev.sluice.bench.chapter.Comparison.ratio;
import static dev.sluice.bench.report.Metric.ACCURACY;
import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.COMMAND_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.FAILED;
import static dev.sluice.bench.report.Metric.LONGEST;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.REFUSED;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.WRONG;
import static java.util.Objects.requireNonNull;

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Callers;
import dev.sluice.bench.run.Loop;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.run.Worker;
import dev.sluice.bench.run.WorkerProcesses;
import dev.sluice.bench.systems.Elements;
import dev.sluice.bench.systems.KeyedCall;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Bloom filters on one Redis. */
public final class BloomWorkloads {
  private static final String US = "sluice";
  private static final String PEER = "redisson";
  private static final String FLOOR = "raw";

  /** Seven bits for each. */
  private static final int SIZE = 200_000;

  private static final double RATE = 0.01;
  private static final int BULK = 100;
  private static final int PORTION = 1_000;

  private static final int AT_ONCE = 100_000;

  private static final int ACCURACY_SIZE = 100_000;

  /** At the higher rate, in a run of full length: 2,000 wrong answers are due. */
  private static final int PROBES = 200_000;

  private BloomWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        single(false, 1),
        single(true, 1),
        single(false, 16),
        single(true, 16),
        pipelined(false),
        pipelined(true),
        bulk(false),
        bulk(true),
        atOnce(),
        accuracy());
  }

  private static Comparison probing(
      boolean adds, String kind, String what, String meaning, WorkOrder order, int bulk) {
    Comparison comparison =
        new Comparison(
            "bloom",
            (adds ? "add-" : "check-") + kind,
            (adds ? "Adding" : "Asking for") + what,
            meaning);
    for (String id : List.of(US, PEER, FLOOR)) {
      comparison.rows((worker, each) -> callers(worker, each, "bench-full-" + id, adds, bulk), id);
    }
    return comparison
        .loop(1, order)
        .reads(
            (bench, done) -> {
              Sample sample = done.sample();
              if (sample.get(REFUSED) > 0) {
                throw new IllegalStateException("an element that was added is said to be absent");
              }
              return sample;
            })
        .floor(FLOOR)
        .columns(OPS, OP_P50, OP_P99, SENT, EXECUTED, FAILED, CLIENT_CPU, SERVER_CPU, COMMAND_CPU)
        .onChart();
  }

  /** One filter for all workloads: filling it takes longer than measuring. */
  private static Loop callers(Worker worker, WorkOrder order, String name, boolean adds, int bulk)
      throws Exception {
    Elements filter =
        worker.keep(
            name,
            () -> {
              Elements made = worker.library().filter(name, SIZE, RATE);
              fill(made, SIZE);
              return made;
            });
    List<String> keys = LimitWorkloads.keys(0, SIZE);
    if (bulk == 1) {
      KeyedCall single =
          adds
              ? KeyedCall.of(
                  key -> {
                    filter.add().call(key);
                    return true;
                  },
                  key -> filter.add().later(key).thenApply(isNew -> true))
              : filter.check();
      return Callers.calls(order, single, keys);
    }
    Map<String, List<String>> bulks = new HashMap<>();
    for (int from = 0; from + bulk <= keys.size(); from += bulk) {
      bulks.put(keys.get(from), keys.subList(from, from + bulk));
    }
    KeyedCall many =
        KeyedCall.of(
            key ->
                adds
                    ? filter.addAll().call(requireNonNull(bulks.get(key))) >= 0
                    : filter.countMaybe().call(requireNonNull(bulks.get(key))) == bulk);
    return Callers.calls(order, many, List.copyOf(bulks.keySet()));
  }

  private static void fill(Elements filter, int size) {
    for (int from = 0; from < size; from += PORTION) {
      filter.addAll().call(LimitWorkloads.keys(from, Math.min(PORTION, size - from)));
    }
  }

  private static Workload single(boolean adds, int threads) {
    Comparison single =
        probing(
            adds,
            "" + threads,
            " single elements, " + (threads == 1 ? "one thread" : threads + " threads"),
            "Blocking calls with 200,000 elements, at random, which are all there; seven bits"
                + " each.",
            WorkOrder.of("", threads),
            1);
    return threads == 1 ? cpu(single, 2) : rates(single, 2, 0.9);
  }

  private static Workload pipelined(boolean adds) {
    Comparison pipelined =
        probing(
            adds,
            "async",
            " single elements, 256 in flight",
            "The same in 256 chains, in which each answer starts the next call: so the server finds"
                + " many commands together.",
            WorkOrder.of("", 256).asynchronous(),
            1);
    return cpu(pipelined, 3);
  }

  private static Workload bulk(boolean adds) {
    Comparison bulk =
        probing(
            adds,
            "" + BULK,
            " 100 elements in a call",
            "Four threads; the rate is that of calls.",
            WorkOrder.of("", 4),
            BULK);
    return rates(bulk, 1.8, 0.8);
  }

  private static Comparison cpu(Comparison comparison, double times) {
    return comparison.atLeast(
        ": Redisson's server CPU per call against ours", ratio(PEER, US, SERVER_CPU), times, " x");
  }

  private static Comparison rates(Comparison comparison, double peer, double floor) {
    return comparison
        .atLeast(": rate against redisson", ratio(US, PEER, OPS), peer, " x")
        .atLeast(": rate against raw", ratio(US, FLOOR, OPS), floor, " x");
  }

  private static Workload atOnce() {
    return new Comparison(
            "bloom",
            "at-once",
            "100,000 elements in one call",
            "One call adds 100,000 elements to a new filter, and one asks for all of them. Longest"
                + " command: by the server's slow log; no other client is served while it lasts."
                + " The rate is that of elements.")
        .rows(US, PEER)
        .measures(BloomWorkloads::atOnce)
        .columns(OPS, LONGEST)
        .atMost(": longest command of the server", of(US, LONGEST), 2, " ms");
  }

  private static Sample atOnce(Bench bench, Row row, String round, RunPlan plan) throws Exception {
    WorkerProcesses fleet = bench.fleet(row.candidate());
    String filter = "bench-at-once-" + row.label() + "-" + round;
    fleet.run(worker -> worker.keep(filter, () -> worker.library().filter(filter, AT_ONCE, RATE)));
    long began = System.nanoTime();
    bench.server().watchSlow();
    fleet.run(
        worker -> {
          Elements made = worker.forget(filter);
          List<String> all = LimitWorkloads.keys(0, AT_ONCE);
          made.addAll().call(all);
          long maybe = made.countMaybe().call(all);
          if (maybe != all.size()) {
            throw new IllegalStateException(all.size() - maybe + " elements were denied");
          }
        });
    double longest = bench.server().longestMillis();
    double seconds = (System.nanoTime() - began) / 1e9;
    return new Sample().put(OPS, 2 * AT_ONCE / seconds).put(LONGEST, longest);
  }

  private static Workload accuracy() {
    Comparison accuracy =
        new Comparison(
                "bloom",
                "accuracy",
                "Wrong answers of a full filter",
                "A filter for 100,000 elements at the rate named is filled with so many and asked"
                    + " for others: at 0.001 for a million, at 0.01 for a fifth of that, a third of"
                    + " both in a quick run.")
            .oneRound()
            .measures(BloomWorkloads::accuracy)
            .columns(WRONG, ACCURACY);
    for (double rate : new double[] {RATE, RATE / 10}) {
      accuracy
          .row(US + ", " + rate, US, null)
          .row(PEER + ", " + rate, PEER, null)
          .atMost(
              "Wrong answers at " + rate + ": measured against requested",
              of(US + ", " + rate, ACCURACY),
              1.05,
              " x");
    }
    return accuracy;
  }

  private static Sample accuracy(Bench bench, Row row, String round, RunPlan plan)
      throws Exception {
    double rate = Double.parseDouble(row.label().substring(row.label().indexOf(' ')));
    String name = "bench-accuracy-" + row.label().replace(", ", "-") + "-" + round;
    int count = CacheWorkloads.share(plan, rate == RATE ? PROBES : 5 * PROBES);
    double wrong =
        bench
            .fleet(row.candidate())
            .ask(
                worker -> {
                  Elements filter = worker.library().filter(name, ACCURACY_SIZE, rate);
                  fill(filter, ACCURACY_SIZE);
                  long maybe = 0;
                  for (int done = 0; done < count; done += PORTION) {
                    int now = Math.min(PORTION, count - done);
                    maybe +=
                        filter.countMaybe().call(LimitWorkloads.keys(ACCURACY_SIZE + done, now));
                  }
                  return maybe;
                });
    return new Sample().put(WRONG, wrong).put(ACCURACY, wrong / count / rate);
  }
}
