package dev.sluice.bench.scale.sim;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Clients, servers and the network between them; what the clients do is the models' affair. */
abstract class QueueingModel {
  private static final double NANOS = 1e3;
  private static final long MAX_NANOS = 600_000_000_000L;

  final Events events = new Events();
  final Chance chance;
  final Costs costs;
  final Population fleet;
  private final List<SimulatedThread> threads = new ArrayList<>();
  private final List<SimulatedThread> masters = new ArrayList<>();
  private final Histogram latencies = new Histogram(1, MAX_NANOS, 3);
  private boolean counting;
  private long counted;

  QueueingModel(Costs costs, Population fleet, long seed) {
    this.costs = costs;
    this.fleet = fleet;
    this.chance = new Chance(seed);
    Cores cores = new Cores(events, fleet.cores());
    for (int i = 0; i < fleet.threads(); i++) {
      threads.add(new SimulatedThread(events, cores, costs.clientWake()));
    }
    for (int i = 0; i < fleet.masters(); i++) {
      masters.add(new SimulatedThread(events, cores, costs.serverWake()));
    }
  }

  /** What a client does when the run begins. */
  abstract void start(int client);

  /**
   * Lets everybody do what they do.
   *
   * @param leadIn virtual seconds that do not count
   * @param window virtual seconds that count
   */
  final Prediction run(double leadIn, double window) {
    for (int i = 0; i < fleet.clients(); i++) {
      int client = i;
      // not all in the same microsecond
      events.in(chance.uniform(Math.max(1000, fleet.thinkMicros())), () -> start(client));
    }
    events.run(leadIn * 1e6);
    masters.forEach(SimulatedThread::countAnew);
    counting = true;
    events.run((leadIn + window) * 1e6);
    double busiest = masters.stream().mapToDouble(SimulatedThread::utilisation).max().orElse(0);
    return new Prediction(
        counted / window,
        latencies.getValueAtPercentile(50) / NANOS,
        latencies.getValueAtPercentile(99) / NANOS,
        Math.min(1, busiest));
  }

  /** An operation is done. */
  final void count(double micros) {
    if (counting) {
      counted++;
      latencies.recordValue(Math.min(MAX_NANOS, Math.max(1, (long) (micros * NANOS))));
    }
  }

  final void think(Runnable next) {
    events.in(chance.exponential(fleet.thinkMicros()), next);
  }

  final int anyMaster() {
    return chance.below(masters.size());
  }

  /** Some work of a client's thread. */
  final void clientWorks(int client, double micros, Runnable done) {
    threads.get(client % threads.size()).offer(chance.exponential(micros), done);
  }

  /** Some work of a server. */
  final void serverWorks(int master, double micros, Runnable done) {
    masters.get(master).offer(chance.exponential(micros), done);
  }

  final void travel(Runnable arrived) {
    events.in(costs.network(), arrived);
  }

  /** There, and nothing comes back yet. */
  final void send(int client, int master, double serverMicros, Runnable there) {
    clientWorks(
        client, costs.client() / 2, () -> travel(() -> serverWorks(master, serverMicros, there)));
  }

  /** Back from a server. */
  final void answer(int client, Runnable back) {
    travel(() -> clientWorks(client, costs.client() / 2, back));
  }

  /** There and back. */
  final void ask(int client, int master, double serverMicros, Runnable back) {
    send(client, master, serverMicros, () -> answer(client, back));
  }
}
