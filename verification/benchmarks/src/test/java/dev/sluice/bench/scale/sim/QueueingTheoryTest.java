package dev.sluice.bench.scale.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.DoubleSupplier;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The simulation against formulas that are known to be true. Seeds are fixed, so are the runs. */
class QueueingTheoryTest {
  private static final Percentage CLOSE = Percentage.withPercentage(4);
  private static final double HORIZON = 300_000;

  /** A thread with random arrivals, one each time unit divided by the load. */
  private static final class Queue {
    final Events events = new Events();
    final Chance chance = new Chance(7);
    final SimulatedThread line;
    final double load;
    double sojourn;
    long served;

    Queue(double load, double wake) {
      this.load = load;
      this.line = new SimulatedThread(events, new Cores(events, Integer.MAX_VALUE), wake);
    }

    Queue run(DoubleSupplier service) {
      arrive(service);
      events.run(HORIZON);
      return this;
    }

    private void arrive(DoubleSupplier service) {
      events.in(
          chance.exponential(1 / load),
          () -> {
            double came = events.now();
            line.offer(
                service.getAsDouble(),
                () -> {
                  sojourn += events.now() - came;
                  served++;
                });
            arrive(service);
          });
    }

    double meanSojourn() {
      return sojourn / served;
    }
  }

  @Test
  void randomServiceWaitsAsMM1Does() {
    for (double load : new double[] {0.3, 0.7, 0.9}) {
      Queue queue = new Queue(load, 0);

      queue.run(() -> queue.chance.exponential(1));

      // W = 1 / (mu - lambda)
      assertThat(queue.meanSojourn()).as("load %s", load).isCloseTo(1 / (1 - load), CLOSE);
      assertThat(queue.line.utilisation()).isCloseTo(load, within(0.01));
    }
  }

  @Test
  void evenServiceWaitsHalfAsLongAsMD1Does() {
    for (double load : new double[] {0.3, 0.7, 0.9}) {
      Queue queue = new Queue(load, 0).run(() -> 1);

      // Pollaczek and Khinchine: W = 1/mu + rho / (2 mu (1 - rho))
      assertThat(queue.meanSojourn())
          .as("load %s", load)
          .isCloseTo(1 + load / (2 * (1 - load)), CLOSE);
    }
  }

  @Test
  void whoIsInsideIsRateTimesStayAsLittleSays() {
    Queue queue = new Queue(0.6, 0.3);

    queue.run(() -> queue.chance.exponential(1));

    double rate = queue.served / HORIZON;
    assertThat(queue.line.meanJobs()).isCloseTo(rate * queue.meanSojourn(), CLOSE);
    assertThat(queue.line.meanJobs()).isGreaterThan(1.5); // more than without waking up: 0.6 / 0.4
  }

  @Test
  void twoCoresShareOneLineAsErlangSays() {
    Events events = new Events();
    Chance chance = new Chance(7);
    Cores cores = new Cores(events, 2);
    double[] sum = new double[2];
    Runnable[] arrive = new Runnable[1];
    arrive[0] =
        () -> {
          double came = events.now();
          cores.run(
              chance.exponential(1),
              () -> {
                sum[0] += events.now() - came;
                sum[1]++;
              });
          events.in(chance.exponential(1 / 1.4), arrive[0]);
        };
    arrive[0].run();

    events.run(HORIZON);

    // M/M/2 with rho = 0.7: W = 1 / (mu (1 - rho^2))
    assertThat(sum[0] / sum[1]).isCloseTo(1 / (1 - 0.49), CLOSE);
  }

  @Test
  void aClosedFleetObeysTheResponseTimeLaw() {
    Costs costs = new Costs(1, 20, 0, 0, 0, 0);
    double think = 2_000;

    // far from the bound of 1/20us: X = N / (R + Z), R hardly more than the service
    Prediction few = Models.separate(costs, Population.apart(5, 1, think), new Models.Span(1, 20));
    assertThat(few.rate()).isCloseTo(5 / (think + 20) * 1e6, CLOSE);

    // far beyond it: the server never rests, and R = N / X - Z
    Prediction many =
        Models.separate(costs, Population.apart(1_000, 1, think), new Models.Span(0.5, 2));
    assertThat(many.rate()).isCloseTo(1e6 / 20, CLOSE);
    assertThat(many.utilisation()).isCloseTo(1, within(0.001));
    assertThat(many.p50()).isCloseTo(1_000 * 20 - think, CLOSE);
  }

  @Test
  void mastersShareTheLoadAndHotKeysDoNot() {
    Costs costs = new Costs(2, 20, 0, 5, 0, 100);
    Models.Span span = new Models.Span(0.2, 0.5);

    Prediction one = Models.separate(costs, Population.apart(2_000, 1, 10_000), span);
    Prediction ten = Models.separate(costs, Population.apart(2_000, 10, 10_000), span);

    assertThat(one.rate()).isCloseTo(1e6 / 40, CLOSE);
    assertThat(ten.rate()).isGreaterThan(6 * one.rate());
    assertThat(ten.utilisation()).isBetween(0.5, 1.0);
  }

  @Test
  void aHandOverIsFourJourneys() {
    // two clients with nothing between them: release, message, poll, reply
    Costs costs = new Costs(3, 0, 0, 0, 0, 100);

    Prediction outcome =
        Models.handOver(costs, Population.apart(2, 1, 1_000), new Models.Span(0.1, 5));

    assertThat(outcome.p99()).isBetween(399.0, 401.0);
  }

  @Test
  void whoWaitsKeepsTheServerBusy() {
    // ten thousand polls of 20 us every half second are 0.4 of a server
    Costs costs = new Costs(3, 20, 0, 0, 0, 5_000);
    Population crowd = Population.apart(10_001, 1, 0);

    Prediction outcome = Models.handOver(costs, crowd, new Models.Span(1.5, 1));

    double handOvers = outcome.rate() * 3 * 20 / 1e6;
    assertThat(outcome.utilisation() - handOvers).isCloseTo(0.4, within(0.03));
  }

  @Test
  void permitsInAdvanceSpareTheServer() {
    Costs costs = new Costs(1, 20, 0, 5, 0, 100);
    Population fleet = Population.apart(1_000, 1, 10_000);
    Models.Span span = new Models.Span(1, 2);

    Prediction plain = Models.separate(costs, fleet, span);
    Prediction leased = Models.leased(costs, 1e6, 1, fleet, span);

    assertThat(plain.rate()).isCloseTo(1e6 / 20, CLOSE);
    assertThat(leased.rate()).isCloseTo(100_000, CLOSE);
    // one request a second of each, 20 us each: a fiftieth
    assertThat(leased.utilisation()).isCloseTo(0.02, within(0.002));
  }

  @Test
  void aBatchCostsWhatItHolds() {
    // of 16 callers one goes alone, 20 us, and the others together, 20 + 14 x 4 us, in turns
    Costs costs = new Costs(1, 20, 0, 0, 0, 1_000);

    Prediction outcome =
        Models.batched(costs, 16, 4, 0, Population.apart(1, 1, 0), new Models.Span(1, 20));

    assertThat(outcome.rate()).isCloseTo(16 / (2_020.0 + 2_076.0) * 1e6, CLOSE);
  }

  @Test
  void aMessageOnTheBusCostsEveryMaster() {
    Costs costs = new Costs(3, 20, 0, 0, 0, 100);
    Population fleet = Population.apart(800, 10, 2_000);
    Models.Span span = new Models.Span(0.1, 0.3);

    Prediction quiet = Models.pairs(costs, 0, fleet, span);
    Prediction loud = Models.pairs(costs, 10, fleet, span);

    double ownWork = quiet.rate() / 10 * 60 / 1e6;
    assertThat(quiet.utilisation()).isCloseTo(ownWork, within(0.06));
    assertThat(loud.rate()).isLessThan(quiet.rate());
    assertThat(loud.rate() / 10 * (60 + 90) / 1e6).isLessThan(1.02);
  }
}
