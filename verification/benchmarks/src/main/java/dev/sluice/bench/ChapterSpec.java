package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.inprocess.InProcessWorkloads;
import dev.sluice.bench.workloads.BloomWorkloads;
import dev.sluice.bench.workloads.CacheWorkloads;
import dev.sluice.bench.workloads.EngineWorkloads;
import dev.sluice.bench.workloads.FamilyWorkloads;
import dev.sluice.bench.workloads.LimitWorkloads;
import dev.sluice.bench.workloads.LockWorkloads;
import java.util.List;
import java.util.function.Supplier;

/**
 * The properties that distinguish a chapter.
 *
 * @param id name of the chapter, of its files, and of its place in the document
 * @param heading what the report is called
 * @param chart file name of the chart beside the document
 * @param servers how many Redis servers its candidates share, which know nothing of each other
 */
record ChapterSpec(
    String id, String heading, String chart, int servers, Supplier<List<Workload>> workloads) {
  /** All that are measured in rounds, by workers or by JMH, on servers of the bench's own. */
  static final List<ChapterSpec> ALL =
      List.of(
          of("in-process", "Inside one JVM", "in-process", 0, InProcessWorkloads::all),
          of("locks", "Locks, side by side on one Redis", "locks", 1, LockWorkloads::all),
          of(
              "quorum",
              "Locks on a majority of five Redis, side by side",
              "quorum",
              5,
              LockWorkloads::quorum),
          of(
              "limits",
              "Rate limits, side by side on one Redis",
              "limits-benchmark",
              1,
              LimitWorkloads::all),
          of(
              "bloom",
              "Bloom filters, side by side on one Redis",
              "bloom-benchmark",
              1,
              BloomWorkloads::all),
          of("cache", "Caches, side by side", "cache-benchmark", 1, CacheWorkloads::all),
          of(
              "family",
              "The rest of the lock family, side by side on one Redis",
              "family-benchmark",
              1,
              FamilyWorkloads::all),
          of(
              "inventory",
              "Limited stock on one Redis",
              "inventory-benchmark",
              1,
              FamilyWorkloads::stock),
          of(
              "engines",
              "Locks on ZooKeeper and on databases, side by side",
              "engines",
              0,
              EngineWorkloads::all));

  private static ChapterSpec of(
      String id, String heading, String chart, int servers, Supplier<List<Workload>> workloads) {
    return new ChapterSpec(id, heading, chart + ".svg", servers, workloads);
  }
}
