package dev.sluice.bench.scale;

import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.HAND_OVER_P50;
import static dev.sluice.bench.report.Metric.HAND_OVER_P99;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.PUBLISHED;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.SERVER_CPU_SHARE;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.systems.Candidate;
import java.util.ArrayList;
import java.util.List;

/** The workloads of the chapter on scale. */
public final class ScaleWorkloads {
  static final String OWN = "clients-own";
  static final String LIMIT = "clients-limit";
  static final String LEASED = "clients-leased";
  static final String CLAIMS = "clients-claims";
  static final String TOGETHER = "clients-together";
  static final String WAITERS = "waiters";
  static final String LOCK_KEYS = "keys-locks";
  static final String LIMIT_KEYS = "keys-limits";
  static final String MASTERS = "masters-own";
  static final String PAIRS = "masters-pairs";

  private static final Metric[] COLUMNS = {
    OPS, OP_P50, OP_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU, SERVER_CPU_SHARE
  };

  private ScaleWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all(Sizes sizes) {
    List<Workload> all = new ArrayList<>();
    all.add(
        clients(
            OWN,
            "Own locks, as clients grow",
            "Each client acquires and releases its own lock: no client waits.",
            ClientTask.OWN_LOCK,
            sizes));
    all.add(
        clients(
            LIMIT,
            "One hot limit, as clients grow",
            "Each client asks for a permit of the same key, and waits for the answer.",
            ClientTask.HOT_LIMIT,
            sizes));
    all.add(
        clients(
            LEASED,
            "One hot limit with permits in advance, as clients grow",
            "Each client asks 20 times every 100 ms, and is served from permits that it took in"
                + " advance; the rate is what was asked, not what is possible.",
            ClientTask.LEASED_LIMIT,
            sizes));
    all.add(
        clients(
            CLAIMS,
            "One stock, claims one by one, as clients grow",
            "Each client claims a unit of the same stock for another claimant each time.",
            ClientTask.CLAIM,
            sizes));
    all.add(
        clients(
            TOGETHER,
            "One stock, 16 claims of each client together, as clients grow",
            "The same with 16 callers in each client, whose claims travel in batches.",
            ClientTask.CLAIMS_TOGETHER,
            sizes));
    all.add(waiters(sizes));
    all.add(
        new KeysWorkload(
            LOCK_KEYS, "Idle locks at the server, as they grow", ClientTask.ANY_LOCK, sizes));
    all.add(
        new KeysWorkload(
            LIMIT_KEYS,
            "Keys of a limiter at the server, as they grow",
            ClientTask.ANY_LIMIT,
            sizes));
    all.add(
        masters(
            MASTERS,
            "Own locks on a cluster, as masters grow",
            sizes.few() + " clients, each with its own lock; the names spread over the masters.",
            ClientTask.OWN_LOCK,
            sizes));
    all.add(
        masters(
            PAIRS,
            "Hand-overs on a cluster, as masters grow",
            sizes.few()
                + " clients, two of them at each lock, so that turns are hand-overs; each has a"
                + " message, which the cluster sends to every master.",
            ClientTask.PAIR_LOCK,
            sizes));
    return all;
  }

  private static Workload clients(
      String id, String title, String meaning, ClientTask task, Sizes sizes) {
    CrowdWorkload workload = new CrowdWorkload(id, title, meaning, task, COLUMNS);
    sizes.clients().forEach(n -> workload.step(candidate(0), n, "client", n));
    return workload;
  }

  private static Workload waiters(Sizes sizes) {
    CrowdWorkload workload =
        new CrowdWorkload(
            WAITERS,
            "One hot lock, as waiters grow",
            "All clients want one lock and release it immediately, so each turn is a hand-over from"
                + " one client to another: from just before the release there to the answer here."
                + " A plain counter, which is checked, shows that no other client was in.",
            ClientTask.HOT_LOCK,
            OPS,
            HAND_OVER_P50,
            HAND_OVER_P99,
            SENT,
            EXECUTED,
            PUBLISHED,
            CLIENT_CPU,
            SERVER_CPU,
            SERVER_CPU_SHARE,
            Metric.WAITER_BYTES,
            Metric.CONNECTION_BYTES);
    sizes.waiters().forEach(n -> workload.step(candidate(0), n, "waiter", n + 1));
    return workload;
  }

  private static Workload masters(
      String id, String title, String meaning, ClientTask task, Sizes sizes) {
    CrowdWorkload workload =
        new CrowdWorkload(
            id,
            title,
            meaning + " All servers and clients share this machine: read the costs, not the rates.",
            task,
            OPS,
            OP_P50,
            OP_P99,
            SENT,
            EXECUTED,
            PUBLISHED,
            CLIENT_CPU,
            SERVER_CPU);
    for (int masters : sizes.masters()) {
      workload.step(candidate(masters), masters, "master", sizes.few());
    }
    return workload;
  }

  private static Candidate candidate(int masters) {
    return SluiceCrowd.CANDIDATES.stream()
        .filter(each -> each.masters() == masters)
        .findFirst()
        .orElseThrow();
  }
}
