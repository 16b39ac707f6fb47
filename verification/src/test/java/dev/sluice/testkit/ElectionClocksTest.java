package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.Term;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import dev.sluice.testkit.FlakyBackend.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two candidates whose clocks run apart, almost as far as the margin allows, on lines that come and
 * go at random: at no moment do both believe that they lead.
 */
class ElectionClocksTest {
  private static final LockOptions OPTIONS = LockOptions.renewing(Duration.ofSeconds(2));
  private static final Duration STEP = Duration.ofMillis(20);
  private static final int ENOUGH_TERMS = 12;
  private static final int MAX_STEPS = 200_000;

  private final ManualTime time = new ManualTime();
  private final MemoryBackend store = new MemoryBackend(time::storeMicros);

  /** A clock and a timer that run fast or slow. */
  private final class Drifting implements Ticker, Scheduler {
    private final double rate;

    Drifting(double rate) {
      this.rate = rate;
    }

    @Override
    public long nanos() {
      return (long) (time.nanos() * rate) - 77_777;
    }

    @Override
    public Runnable schedule(Runnable task, long delayNanos) {
      return time.schedule(task, (long) Math.ceil(delayNanos / rate));
    }

    @Override
    public void park(Object blocker, long nanos) {
      time.park(blocker, nanos == Long.MAX_VALUE ? nanos / 4 : (long) Math.ceil(nanos / rate));
    }
  }

  private final class Candidate implements AutoCloseable {
    final FlakyBackend line = new FlakyBackend(store);
    final Sluice client;
    final LeaderElection election;
    final List<Term> terms = new CopyOnWriteArrayList<>();
    boolean cut;

    Candidate(double rate) {
      Drifting clock = new Drifting(rate);
      client = Sluice.builder().backend(line).time(clock, clock).build();
      election = client.election("drift", OPTIONS);
      election.lead(
          term -> {
            terms.add(term);
            while (term.isLeader()) {
              LockSupport.parkNanos(100_000);
            }
          });
    }

    void cutOrMend(SplittableRandom random) {
      if (cut) {
        line.heal();
      } else {
        line.losesMessages(true);
        line.setAll(random.nextBoolean() ? Fault.LOSES_REQUEST : Fault.LOSES_REPLY);
      }
      cut = !cut;
    }

    @Override
    public void close() {
      line.heal();
      client.close();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void neverDoBothBelieveThatTheyLead(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (Candidate slow = new Candidate(0.991);
        Candidate fast = new Candidate(1.009)) {
      for (int i = 0; slow.terms.size() + fast.terms.size() < ENOUGH_TERMS; i++) {
        assertThat(i).as("steps until enough terms").isLessThan(MAX_STEPS);
        for (Candidate each : List.of(slow, fast)) {
          if (random.nextInt(each.cut ? 40 : 120) == 0) {
            each.cutOrMend(random);
          }
        }
        time.advance(STEP);
        boolean first = slow.election.isLeader();
        boolean second = fast.election.isLeader();
        assertThat(first && second && slow.election.isLeader()).as("both lead").isFalse();
        LockSupport.parkNanos(100_000); // lets the callbacks go on
      }
      assertTokensGrow(slow.terms);
      assertTokensGrow(fast.terms);
    }
  }

  private static void assertTokensGrow(List<Term> terms) {
    List<Long> tokens = new ArrayList<>();
    terms.forEach(term -> tokens.add(term.token()));
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    terms.stream().limit(Math.max(0, terms.size() - 1)).forEach(ElectionClocksTest::assertOver);
  }

  private static void assertOver(Term term) {
    assertThat(term.isLeader()).isFalse();
  }
}
