package dev.sluice.bench.locks;

import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.PUBLISHED;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.THREAD_SHARE;
import static dev.sluice.bench.report.Metric.WAIT_P50;
import static dev.sluice.bench.report.Metric.WAIT_P99;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.run.Pattern;
import dev.sluice.bench.systems.FamilyKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The workloads of semaphores and read-write locks, with the goals that were set for them. */
public final class FamilyWorkloads {
  /** A counter that was 2 for each pair is not 2.00 once a rare housekeeping command joins in. */
  private static final double TWO = 2.01;

  private static final Metric[] COLUMNS = {
    OPS,
    OP_P50,
    OP_P99,
    WAIT_P50,
    WAIT_P99,
    SENT,
    EXECUTED,
    PUBLISHED,
    THREAD_SHARE,
    CLIENT_CPU,
    SERVER_CPU
  };

  private FamilyWorkloads() {}

  /** One of the family: us, the peer, the floor. */
  private record Member(
      String id, String title, FamilyKind us, FamilyKind peer, FamilyKind floor) {}

  private static final List<Member> MEMBERS =
      List.of(
          new Member(
              "semaphore",
              "Semaphore",
              FamilyKind.SLUICE_SEMAPHORE,
              FamilyKind.REDISSON_SEMAPHORE,
              FamilyKind.RAW_SEMAPHORE),
          new Member(
              "read",
              "Read lock",
              FamilyKind.SLUICE_READ,
              FamilyKind.REDISSON_READ,
              FamilyKind.RAW_READ),
          new Member(
              "write",
              "Write lock",
              FamilyKind.SLUICE_WRITE,
              FamilyKind.REDISSON_WRITE,
              FamilyKind.RAW_WRITE));

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    List<Workload> all = new ArrayList<>();
    for (Member member : MEMBERS) {
      all.add(uncontended(member, 1, 1.3));
      all.add(uncontended(member, 16, 2.5));
    }
    all.add(hot(MEMBERS.get(0), "All 16 threads of one process want one of 4 permits."));
    all.add(hot(MEMBERS.get(1), "All 16 threads of one process read under one lock."));
    return all;
  }

  private static LoopWorkload with(LoopWorkload workload, Member member) {
    return workload
        .with(Contestant.of(member.us))
        .with(Contestant.of(member.peer))
        .with(Contestant.of(member.floor))
        .floor(member.floor.id())
        .columns(COLUMNS);
  }

  private static Workload uncontended(Member member, int threads, double timesPeer) {
    String threadsText = threads == 1 ? "1 thread" : threads + " threads";
    String title = member.title + ", uncontended, " + threadsText;
    return with(
            new LoopWorkload(
                member.id + "-" + threads,
                title,
                "One process; each thread acquires and releases under a name of its own.",
                Pattern.OWN_LOCK,
                1,
                threads),
            member)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against the floor",
                        results.ratio(member.us.id(), member.floor.id(), OPS),
                        0.9,
                        " x"),
                    Goal.atLeast(
                        title + ": rate against Redisson",
                        results.ratio(member.us.id(), member.peer.id(), OPS),
                        timesPeer,
                        " x"),
                    Goal.atMost(
                        title + ": commands sent per pair",
                        results.of(member.us.id(), SENT),
                        TWO,
                        "")));
  }

  private static Workload hot(Member member, String meaning) {
    String title = "One hot " + member.title.toLowerCase(Locale.ROOT) + ", 16 threads";
    return with(
            new LoopWorkload("hot-" + member.id, title, meaning, Pattern.SHARED, 1, 16), member)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against Redisson",
                        results.ratio(member.us.id(), member.peer.id(), OPS),
                        10,
                        " x")));
  }
}
