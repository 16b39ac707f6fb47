package dev.sluice.bench.scale;

import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Measured;
import dev.sluice.bench.run.Server;
import dev.sluice.bench.run.ServerCounters;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.run.WorkerProcesses;
import dev.sluice.bench.systems.Candidate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Measures many clients of Sluice at a time. */
public final class Crowds {
  /** Worker processes over which clients are spread: as many network threads. */
  public static final int PROCESSES = 4;

  /** Below it, another process would disturb the measurement more than it helps. */
  private static final int MIN_SHARE = 4;

  /** Beyond it, clients of a process share one connection for messages. */
  private static final int OWN_INBOXES = 1_000;

  /** For the harness, and for connections that are on their way out. */
  private static final int SPARE_CONNECTIONS = 200;

  private static final int GATHERED_AT_ONCE = 1_000;

  private static final Duration LONG = Duration.ofHours(1);

  private static final Duration LOOK = Duration.ofMillis(200);
  private static final int MAX_LOOKS = 50;

  /** Commands between two looks that may go on. */
  private static final int QUIET = 10;

  private Crowds() {}

  /**
   * One measurement: who, on which errand, how long.
   *
   * @param name of the lock, the limiter or the stock, fresh for each measurement
   * @param keys how many keys there are to choose from, where the errand chooses
   */
  public record Trial(
      Candidate candidate,
      ClientTask task,
      String name,
      int clients,
      long keys,
      Duration leadIn,
      Duration window) {}

  /** {@return how many worker processes so many clients live in} */
  public static int processes(int clients) {
    return Math.min(PROCESSES, (clients + MIN_SHARE - 1) / MIN_SHARE);
  }

  /** Makes sure that there are so many clients, connected. */
  public static void gather(Bench bench, Candidate candidate, int clients)
      throws InterruptedException {
    if (candidate.masters() == 0) {
      CrowdServer.of(bench).admit(2 * Math.min(clients, OWN_INBOXES) + clients + SPARE_CONNECTIONS);
    }
    int processes = processes(clients);
    WorkerProcesses fleet = bench.fleet(candidate);
    fleet.grow(processes);
    // step by step, since a process has to answer within a while
    for (int there = 0; there < clients; ) {
      there = Math.min(clients, there + GATHERED_AT_ONCE);
      int soFar = there;
      fleet.doEach(
          processes,
          process -> {
            int clientsThere = share(soFar, processes, process);
            int ownInboxes = share(OWN_INBOXES, PROCESSES, process);
            return worker -> WorkerClients.of(worker).grow(clientsThere, ownInboxes);
          });
    }
  }

  private static int share(int clients, int process) {
    return share(clients, processes(clients), process);
  }

  /** Those with the low numbers have one more where it does not come out even. */
  private static int share(int clients, int processes, int process) {
    return (clients + processes - process) / processes;
  }

  /**
   * Takes one measurement; the clients are gathered.
   *
   * @throws Measured.ExclusionBrokenException if the hot lock let two in
   */
  public static Sample run(Bench bench, Trial trial) throws InterruptedException, IOException {
    gather(bench, trial.candidate(), trial.clients());
    int processes = processes(trial.clients());
    settle(bench, trial.candidate());
    ClientTask task = trial.task();
    int clients = trial.clients();
    long keys = trial.keys();
    double[] bytes = {Double.NaN, Double.NaN};
    Measured done =
        bench.measure(
            new Bench.Trial(
                trial.candidate(),
                WorkOrder.of(trial.name(), clients),
                processes,
                trial.leadIn(),
                trial.window(),
                false),
            (worker, order) ->
                new CrowdLoop(
                    WorkerClients.of(worker),
                    order,
                    task,
                    processes,
                    share(clients, order.process()),
                    keys),
            () -> {
              if (task == ClientTask.HOT_LOCK) {
                bytes[0] = bytesOf(bench.server(), trial.name()) / Math.max(1, clients - 1);
                bytes[1] = CrowdServer.of(bench).bytesOfConnection();
              }
            });
    if (task == ClientTask.HOT_LOCK) {
      done.checkExclusion(trial.candidate().id());
    }
    Sample sample = done.sample();
    double turns = Math.max(1, done.turns());
    double executed = done.executed() / turns; // without those that wait in line at the start
    boolean waited = sample.get(Metric.SAMPLES) > 0;
    return sample
        .put(Metric.EXECUTED, executed)
        .put(Metric.SENT, done.scripts() / turns)
        .put(Metric.HAND_OVER_P50, waited ? sample.get(Metric.WAIT_P50) : Double.NaN)
        .put(Metric.HAND_OVER_P99, waited ? sample.get(Metric.WAIT_P99) : Double.NaN)
        .put(Metric.WAITER_BYTES, bytes[0])
        .put(Metric.CONNECTION_BYTES, bytes[1])
        .put(Metric.SERVER_CPU_SHARE, sample.get(Metric.OPS) * sample.get(Metric.SERVER_CPU) / 1e6);
  }

  /** Waits for clients of earlier trials to give back what they took in advance. */
  private static void settle(Bench bench, Candidate candidate) throws InterruptedException {
    ServerCounters last = bench.counters(candidate);
    for (int look = 0; look < MAX_LOOKS; look++) {
      Bench.pause(LOOK);
      ServerCounters now = bench.counters(candidate);
      if (now.executedSince(last) <= QUIET) {
        return;
      }
      last = now;
    }
  }

  private static double bytesOf(Server server, String name) {
    return server.keys("*" + name + "*").stream().mapToLong(server::bytes).sum();
  }

  /**
   * Lets the library write one key, and copies it until there are so many names. Names that were
   * there before are written again, since the library gives a key that it uses a short expiry.
   *
   * @return bytes of the key of one name, as {@code MEMORY USAGE} reports them
   * @throws IllegalStateException if there are fewer keys than names afterwards
   */
  public static long fill(Bench bench, ClientTask task, String name, long names)
      throws InterruptedException {
    bench
        .fleet(SluiceCrowd.CANDIDATES.get(0))
        .run(worker -> WorkerClients.of(worker).touch(task, name));
    String member =
        WorkerClients.member(task == ClientTask.ANY_LOCK ? name : "", WorkerClients.TEMPLATE);
    List<String> keys = bench.server().keys("*" + member + "*");
    if (keys.isEmpty()) {
      throw new IllegalStateException(task + " wrote no key with " + member);
    }
    long bytes = 0;
    for (String key : keys) {
      bytes += bench.server().bytes(key);
      CrowdServer.of(bench).copy(key, 0, names, LONG);
    }
    long there = bench.server().redis().dbsize();
    if (there < names * keys.size()) {
      throw new IllegalStateException(
          there + " keys after " + names + " names were written, with " + keys.size() + " each");
    }
    return bytes;
  }
}
