package dev.sluice.bench.scale.sim;

import java.util.ArrayDeque;

/**
 * The behaviour of clients for each primitive. Pure functions of their arguments: seeds are fixed.
 */
public final class Models {
  /** How often a client that waits for a lock polls without any message. */
  static final double POLL_MICROS = 500_000;

  private static final long SEED = 20;

  private Models() {}

  /** The simulated time; virtual seconds. */
  public record Span(double leadIn, double window) {}

  /** Each client asks its own keys, spread over the masters, or all of them one key of one. */
  public static Prediction separate(Costs costs, Population fleet, Span span) {
    return new QueueingModel(costs, fleet, SEED) {
      @Override
      void start(int client) {
        double began = events.now();
        step(client, anyMaster(), (int) costs.commands(), began);
      }

      private void step(int client, int master, int left, double began) {
        ask(
            client,
            master,
            costs.server(),
            () -> {
              if (left > 1) {
                step(client, master, left - 1, began);
              } else {
                count(events.now() - began);
                think(() -> start(client));
              }
            });
      }
    }.run(span.leadIn(), span.window());
  }

  /**
   * All clients want one lock and release it immediately; a latency is a hand-over. Three commands:
   * release, queue again, and the poll that follows the message; beside them the polls of all who
   * wait.
   */
  public static Prediction handOver(Costs costs, Population fleet, Span span) {
    return new HotLock(costs, fleet).run(span.leadIn(), span.window());
  }

  private static final class HotLock extends QueueingModel {
    private static final int NOBODY = -1;

    private final ArrayDeque<Integer> queue = new ArrayDeque<>();
    private final boolean[] waits;
    private int holder = NOBODY;
    private double releasedAt = Double.NaN;

    HotLock(Costs costs, Population fleet) {
      super(costs, fleet, SEED);
      this.waits = new boolean[fleet.clients()];
    }

    @Override
    void start(int client) {
      send(client, 0, costs.server(), () -> arrive(client));
    }

    private void arrive(int client) {
      if (holder == NOBODY) {
        holder = client;
        answer(client, () -> hold(client));
        return;
      }
      queue.add(client);
      waits[client] = true;
      answer(client, () -> pollLater(client));
    }

    private void pollLater(int client) {
      events.in(
          POLL_MICROS,
          () -> {
            if (waits[client]) {
              ask(client, 0, costs.server(), () -> pollLater(client));
            }
          });
    }

    private void hold(int client) {
      if (!Double.isNaN(releasedAt)) {
        count(events.now() - releasedAt);
      }
      releasedAt = events.now();
      send(
          client,
          0,
          costs.server(),
          () -> {
            Integer next = queue.poll();
            holder = next == null ? NOBODY : next;
            if (next != null) {
              waits[next] = false;
              call(next);
            } else {
              releasedAt = Double.NaN;
            }
            answer(client, () -> think(() -> start(client)));
          });
    }

    private void call(int next) {
      travel(
          () ->
              clientWorks(
                  next, costs.client() / 2, () -> ask(next, 0, costs.server(), () -> hold(next))));
    }
  }

  /**
   * Pairs of clients take turns at one lock for each pair, which is a hand-over each; each message
   * goes to all other masters, too.
   *
   * @param busMicros what a message costs a master that only forwards it
   */
  public static Prediction pairs(Costs costs, double busMicros, Population fleet, Span span) {
    return new QueueingModel(costs, fleet, SEED) {
      @Override
      void start(int pair) {
        if (pair % 2 == 0) {
          turn(pair, pair / 2 % fleet.masters());
        }
      }

      private void turn(int holder, int master) {
        double began = events.now();
        int next = holder ^ 1;
        send(
            holder,
            master,
            costs.server(),
            () -> {
              for (int other = 0; other < fleet.masters(); other++) {
                if (other != master) {
                  int receiver = other;
                  travel(() -> serverWorks(receiver, busMicros, () -> {}));
                }
              }
              answer(holder, () -> ask(holder, master, costs.server(), () -> {}));
              answer(
                  next,
                  () ->
                      ask(
                          next,
                          master,
                          costs.server(),
                          () -> {
                            count(events.now() - began);
                            think(() -> turn(next, master));
                          }));
            });
      }
    }.run(span.leadIn(), span.window());
  }

  /**
   * Clients take permits of one key in advance, so many that they last for a while, and hand them
   * out without asking.
   *
   * @param lastsMicros how long permits taken in advance last
   * @param localMicros what a permit that is here costs its process
   */
  public static Prediction leased(
      Costs costs, double lastsMicros, double localMicros, Population fleet, Span span) {
    return new QueueingModel(costs, fleet, SEED) {
      private final double[] goodUntil = new double[fleet.clients()];

      @Override
      void start(int client) {
        if (events.now() < goodUntil[client]) {
          count(localMicros);
          think(() -> start(client));
          return;
        }
        double began = events.now();
        ask(
            client,
            0,
            costs.server(),
            () -> {
              goodUntil[client] = began + lastsMicros;
              count(events.now() - began);
              think(() -> start(client));
            });
      }
    }.run(span.leadIn(), span.window());
  }

  /**
   * Callers of each client claim units of one stock. A claim whose client has no batch under way is
   * sent immediately. Claims that come during a batch go with the next one, which leaves before the
   * callers of the last one get their answers.
   *
   * @param callers of each client
   * @param serverEach what each claim beyond the first costs the server
   * @param clientEach what each claim beyond the first costs the client, when its caller gets the
   *     answer
   */
  public static Prediction batched(
      Costs costs, int callers, double serverEach, double clientEach, Population fleet, Span span) {
    return new QueueingModel(costs, fleet, SEED) {
      private final boolean[] underWay = new boolean[fleet.clients()];

      @SuppressWarnings({"unchecked", "rawtypes"})
      private final ArrayDeque<Double>[] waiting = new ArrayDeque[fleet.clients()];

      @Override
      void start(int client) {
        waiting[client] = new ArrayDeque<>();
        for (int i = 0; i < callers; i++) {
          think(() -> claim(client));
        }
      }

      private void claim(int client) {
        waiting[client].add(events.now());
        if (!underWay[client]) {
          batch(client);
        }
      }

      private void batch(int client) {
        ArrayDeque<Double> batch = waiting[client];
        waiting[client] = new ArrayDeque<>();
        underWay[client] = true;
        ask(
            client,
            0,
            costs.server() + (batch.size() - 1) * serverEach,
            () -> {
              underWay[client] = false;
              if (!waiting[client].isEmpty()) {
                batch(client);
              }
              finish(client, batch.remove());
              for (double asked : batch) {
                clientWorks(client, clientEach, () -> finish(client, asked));
              }
            });
      }

      private void finish(int client, double asked) {
        count(events.now() - asked);
        think(() -> claim(client));
      }
    }.run(span.leadIn(), span.window());
  }
}
