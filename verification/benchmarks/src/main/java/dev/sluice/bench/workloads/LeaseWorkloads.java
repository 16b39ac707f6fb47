package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.of;
import static dev.sluice.bench.report.Metric.BYTES;
import static dev.sluice.bench.report.Metric.CLIENT_CPU_SHARE;
import static dev.sluice.bench.report.Metric.DOUBTS;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.HOLD_SECONDS;
import static dev.sluice.bench.report.Metric.KEYS;
import static dev.sluice.bench.report.Metric.KEYS_LATER;
import static dev.sluice.bench.report.Metric.LEASES;
import static dev.sluice.bench.report.Metric.LOST;
import static dev.sluice.bench.report.Metric.RENEWALS;
import static dev.sluice.bench.report.Metric.SERVER_CPU_SHARE;
import static dev.sluice.bench.report.Metric.STILL_HELD;
import static dev.sluice.bench.report.Metric.TTL_SECONDS;

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Loop;
import dev.sluice.bench.run.Monitor;
import dev.sluice.bench.run.ServerCounters;
import dev.sluice.bench.run.Worker;
import dev.sluice.bench.run.WorkerProcesses;
import dev.sluice.bench.systems.LockUse;
import dev.sluice.bench.systems.Mutex;
import dev.sluice.bench.systems.SluiceLibrary;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** Measures the keys that remain after locks, and the cost of keeping locks. */
final class LeaseWorkloads {
  private static final int NAMES = 50;
  private static final int THREADS = 32;
  private static final String US = "sluice";

  private LeaseWorkloads() {}

  static Workload memory() {
    Map<String, Long> goneAt = new HashMap<>(); // of each row, nanoseconds
    return new Comparison(
            "locks",
            "memory",
            "Memory of an idle name",
            "Each of "
                + NAMES
                + " names is acquired and released once. Bytes: MEMORY USAGE of all keys with that"
                + " name. Afterwards: once the longest expiry has passed.")
        .rows(US, "redisson", "spring", "raw-fenced")
        .oneRound()
        .measures(
            (bench, row, round, plan) -> {
              WorkerProcesses fleet = bench.fleet(row.candidate());
              for (int i = 0; i < NAMES; i++) {
                cycles(fleet, prefix(row) + i, 1);
              }
              KeysLeft left = KeysLeft.of(bench.server(), "*" + prefix(row) + "*", NAMES);
              if (!left.forever()) {
                goneAt.put(row.label(), System.nanoTime() + left.longestMillis() * 1_000_000);
              }
              return left.sample();
            })
        .finishes(
            (bench, row, sample, plan) -> {
              long left = goneAt.getOrDefault(row.label(), 0L) - System.nanoTime();
              if (goneAt.containsKey(row.label()) && left > 0) {
                if (!plan.awaitExpiry()) {
                  return;
                }
                Bench.pause(Duration.ofNanos(left));
              }
              sample.put(
                  KEYS_LATER, KeysLeft.later(bench.server(), "*" + prefix(row) + "*", NAMES));
            })
        .columns(KEYS, BYTES, TTL_SECONDS, KEYS_LATER)
        .atMost("Idle name: bytes on the server", of(US, BYTES), 200, "")
        .atMost("Idle name: keys after the retention", of(US, KEYS_LATER), 0, "");
  }

  private static String prefix(Row row) {
    return "idle-" + row.label() + "-";
  }

  private static void cycles(WorkerProcesses fleet, String lock, int count)
      throws InterruptedException {
    fleet.run(
        worker -> {
          Mutex mutex = worker.library().lock(lock, LockUse.PLAIN);
          for (int i = 0; i < count; i++) {
            mutex.acquire();
            mutex.release();
          }
        });
  }

  static Workload renewal() {
    return new Comparison(
            "locks",
            "renewal",
            "Renewals of one held lock",
            "One thread locks and unlocks many times, then holds one lock for 2.1 times its TTL"
                + " (63 s for 30 s). Renewals: commands about that lock that reached the server, by MONITOR; one every third of"
                + " the TTL is due.")
        .rows(US, "redisson")
        .oneRound()
        .measures(LeaseWorkloads::renewals)
        .columns(HOLD_SECONDS, RENEWALS, EXECUTED, SERVER_CPU_SHARE)
        .atMost("Renewals of one held lock", of(US, RENEWALS), 7, "");
  }

  private static Sample renewals(Bench bench, Row row, String round, RunPlan plan)
      throws Exception {
    Duration hold = plan.renewalTtl().multipliedBy(21).dividedBy(10);
    WorkerProcesses fleet = bench.fleet(row.candidate(), plan.renewalTtl());
    cycles(fleet, "bench-renewal-cycled-" + row.label(), plan.renewalCycles());
    String lock = "bench-renewal-held-" + row.label();
    fleet.run(
        worker -> worker.keep("held", () -> worker.library().lock(lock, LockUse.PLAIN)).acquire());
    ServerCounters before = bench.server().counters();
    Monitor monitor = bench.server().monitor(lock);
    try (monitor) {
      Bench.pause(hold);
    }
    ServerCounters after = bench.server().counters();
    fleet.run(worker -> worker.<Mutex>forget("held").release());
    double seconds = hold.toMillis() / 1e3;
    return new Sample()
        .put(HOLD_SECONDS, seconds)
        .put(RENEWALS, monitor.sent())
        .put(SERVER_CPU_SHARE, (after.cpuSeconds() - before.cpuSeconds()) / seconds);
  }

  static Workload held() {
    return new Comparison(
            "locks",
            "held",
            "Many leases held together",
            "One process takes very many locks and holds them for 1.2 times the TTL, so each must be"
                + " renewed at least three times. In doubt: how often a renewal was overdue.")
        .rows(US)
        .oneRound()
        .measures(LeaseWorkloads::hold)
        .columns(
            LEASES,
            STILL_HELD,
            DOUBTS,
            LOST,
            HOLD_SECONDS,
            RENEWALS,
            CLIENT_CPU_SHARE,
            SERVER_CPU_SHARE)
        .atLeast(
            "Many leases: still held after more than their TTL",
            results -> results.ratio(US, STILL_HELD, US, LEASES),
            1,
            " of all")
        .atMost("Many leases: in doubt", of(US, DOUBTS), 0, "")
        .atMost("Many leases: lost", of(US, LOST), 0, "");
  }

  private static Sample hold(Bench bench, Row row, String round, RunPlan plan) throws Exception {
    Duration hold = plan.heldTtl().multipliedBy(12).dividedBy(10);
    WorkerProcesses fleet = bench.fleet(row.candidate(), plan.heldTtl());
    int count = plan.heldLeases();
    long cpu =
        fleet.ask(
            worker -> {
              worker.keep("leases", () -> HeldLeases.take(worker, "bench-held-", count));
              return Loop.cpuNanos();
            });
    ServerCounters before = bench.server().counters();
    Bench.pause(hold);
    ServerCounters after = bench.server().counters();
    HeldLeases.Report held =
        fleet.ask(
            worker -> {
              HeldLeases leases = worker.forget("leases");
              HeldLeases.Report report = leases.report();
              leases.give();
              return report;
            });
    double seconds = hold.toMillis() / 1e3;
    return new Sample()
        .put(LEASES, count)
        .put(STILL_HELD, held.held())
        .put(DOUBTS, held.doubts())
        .put(LOST, held.lost())
        .put(HOLD_SECONDS, seconds)
        .put(RENEWALS, after.since(before, "evalsha", "eval", "fcall"))
        .put(CLIENT_CPU_SHARE, (held.cpuNanos() - cpu) / 1e9 / seconds)
        .put(SERVER_CPU_SHARE, (after.cpuSeconds() - before.cpuSeconds()) / seconds);
  }

  /** Many leases of Sluice held together, with their losses. */
  private static final class HeldLeases {
    private final List<Lease> leases = new ArrayList<>();
    private final LongAdder doubts = new LongAdder();
    private final LongAdder losses = new LongAdder();

    /**
     * The numbers of held, doubtful and lost leases, and the CPU time of the process until then.
     */
    record Report(long held, long doubts, long lost, long cpuNanos) implements Serializable {}

    static HeldLeases take(Worker worker, String prefix, int count) throws Exception {
      SluiceLibrary sluice = (SluiceLibrary) worker.library();
      HeldLeases held = new HeldLeases();
      held.leases.addAll(
          each(
              IntStream.range(0, count)
                  .<Callable<Lease>>mapToObj(i -> () -> held.take(sluice.lock(prefix + i)))
                  .toList()));
      return held;
    }

    private Lease take(DistributedLock lock) throws InterruptedException {
      Lease lease = lock.acquire(Duration.ofSeconds(30));
      lease.onChange(this::changed);
      return lease;
    }

    private void changed(Lease lease, LeaseState state) {
      if (state == LeaseState.IN_DOUBT) {
        doubts.increment();
      } else if (state == LeaseState.LOST) {
        losses.increment();
      }
    }

    Report report() {
      long good = leases.stream().filter(lease -> lease.state() == LeaseState.HELD).count();
      return new Report(good, doubts.sum(), losses.sum(), Loop.cpuNanos());
    }

    void give() throws Exception {
      each(leases.stream().<Callable<Boolean>>map(lease -> lease::release).toList());
    }

    private static <T> List<T> each(List<Callable<T>> steps) throws Exception {
      ExecutorService pool = Executors.newFixedThreadPool(THREADS);
      try {
        List<T> results = new ArrayList<>();
        for (Future<T> each : pool.invokeAll(steps)) {
          results.add(each.get());
        }
        return results;
      } finally {
        pool.shutdownNow();
      }
    }
  }
}
