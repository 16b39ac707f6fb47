package dev.sluice.bench.caches;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.systems.CacheKind;
import dev.sluice.bench.systems.Tier;
import java.util.List;

/** The workloads of the chapter about caches, with the goals that were set for it. */
public final class CacheWorkloads {
  private CacheWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        near("near-1", "Hit in the process, 1 thread", "One thread reads", 1),
        near("near-2", "Hit in the process, 2 threads", "Two threads of one process read", 2),
        store(),
        new PenetrationWorkload(),
        new AvalancheWorkload(),
        new StampedeWorkload(),
        new KillWorkload());
  }

  private static Workload near(String id, String title, String who, int threads) {
    return new HitWorkload(
        id,
        title,
        who
            + " 1,024 keys again and again, in a random order. Every value of 100 bytes has a copy in"
            + " the process.",
        Tier.NEAR,
        CacheKind.CAFFEINE,
        0.6,
        threads,
        256,
        List.of(Metric.OPS, Metric.CLIENT_CPU, Metric.EXECUTED, Metric.LOADS));
  }

  private static Workload store() {
    return new HitWorkload(
        "store-16",
        "Hit at the store, 16 threads",
        "16 threads of one process read 1,024 keys. Every value of 100 bytes is in Redis, none in"
            + " the process.",
        Tier.STORE,
        CacheKind.RAW,
        0.9,
        16,
        1,
        List.of(
            Metric.OPS,
            Metric.OP_P50,
            Metric.OP_P99,
            Metric.SENT,
            Metric.EXECUTED,
            Metric.CLIENT_CPU,
            Metric.SERVER_CPU,
            Metric.LOADS));
  }
}
