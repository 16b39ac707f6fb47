package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.inprocess.InProcessWorkloads;
import dev.sluice.bench.systems.Candidate;
import dev.sluice.bench.systems.Candidates;
import dev.sluice.bench.workloads.BloomWorkloads;
import dev.sluice.bench.workloads.CacheWorkloads;
import dev.sluice.bench.workloads.EngineWorkloads;
import dev.sluice.bench.workloads.FamilyWorkloads;
import dev.sluice.bench.workloads.LimitWorkloads;
import dev.sluice.bench.workloads.LockWorkloads;
import java.util.List;
import java.util.function.Supplier;

/**
 * What makes a chapter different from the others.
 *
 * @param id name of the chapter, of its files, and of its place in the document
 * @param heading what the report is called
 * @param about what the help says
 * @param chart file name of the chart beside the document
 * @param servers how many Redis servers its candidates share, which know nothing of each other
 */
record ChapterSpec(
    String id,
    String heading,
    String about,
    String chart,
    int servers,
    Supplier<List<Workload>> workloads) {
  /** All that are measured in rounds, by workers or by JMH, on servers of the bench's own. */
  static final List<ChapterSpec> ALL =
      List.of(
          new ChapterSpec(
              "in-process",
              "Inside one JVM",
              "Calls that ask no server, by JMH, each beside the least that it can cost; every round"
                  + " of each in a JVM of its own.",
              "in-process.svg",
              0,
              InProcessWorkloads::all),
          new ChapterSpec(
              "locks",
              "Locks, side by side on one Redis",
              "Locks: Sluice, Redisson, Spring Integration and the least that Lettuce can do, in"
                  + " turns on one Redis.",
              "locks.svg",
              1,
              LockWorkloads::all),
          new ChapterSpec(
              "quorum",
              "Locks on a majority of five Redis, side by side",
              "Locks on a majority of five: Sluice, Redisson's MultiLock and the least that Lettuce"
                  + " can do.",
              "quorum.svg",
              5,
              LockWorkloads::quorum),
          new ChapterSpec(
              "limits",
              "Rate limits, side by side on one Redis",
              "Rate limits: Sluice, Redisson, Bucket4j and the least that Lettuce can do, in turns on"
                  + " one Redis.",
              "limits-benchmark.svg",
              1,
              LimitWorkloads::all),
          new ChapterSpec(
              "bloom",
              "Bloom filters, side by side on one Redis",
              "Bloom filters: Sluice, Redisson and the least that Lettuce can do, in turns on one"
                  + " Redis.",
              "bloom-benchmark.svg",
              1,
              BloomWorkloads::all),
          new ChapterSpec(
              "cache",
              "Caches, side by side",
              "Caches: Sluice, Redisson, JetCache and the least that Caffeine and Lettuce can do, in"
                  + " turns.",
              "cache-benchmark.svg",
              1,
              CacheWorkloads::all),
          new ChapterSpec(
              "family",
              "The rest of the lock family, side by side on one Redis",
              "Semaphores, read-write locks and multi-locks: Sluice, Redisson and bare scripts, in"
                  + " turns on one Redis; and locks on a cluster of three.",
              "family-benchmark.svg",
              1,
              FamilyWorkloads::all),
          new ChapterSpec(
              "inventory",
              "Limited stock on one Redis",
              "Claims of limited stock: Sluice and a bare script, in turns on one Redis.",
              "inventory-benchmark.svg",
              1,
              FamilyWorkloads::stock),
          new ChapterSpec(
              "engines",
              "Locks on ZooKeeper and on databases, side by side",
              "Locks on ZooKeeper, PostgreSQL and SQLite: Sluice, Curator, Spring Integration,"
                  + " ShedLock and the least that it can cost, each on a server of the bench's own."
                  + " PostgreSQL and MariaDB take part where they are installed.",
              "engines.svg",
              0,
              EngineWorkloads::all));

  List<Candidate> candidates() {
    return Candidates.of(id);
  }
}
