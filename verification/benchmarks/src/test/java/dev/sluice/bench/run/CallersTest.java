package dev.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.systems.Gate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class CallersTest {
  private static final int CALLERS = 4;

  @Test
  void countsWhatThreadsWereTold() throws Exception {
    EveryOther gate = new EveryOther(false);

    Reply.Admissions told = (Reply.Admissions) work(gate, order(false, true));

    assertThat(told.outcome().total()).isEqualTo(gate.asked.get());
    assertThat(told.refused()).isEqualTo(gate.asked.get() / 2);
    assertThat(told.asked()).hasSize((int) (gate.asked.get() - told.refused()));
    assertThat(told.failed()).isZero();
    assertThat(told.lastAsked()).isGreaterThan(told.firstAsked());
  }

  @Test
  void chainsGoOnWhoeverAnswers() throws Exception {
    for (boolean atOnce : new boolean[] {true, false}) {
      EveryOther gate = new EveryOther(atOnce);

      Reply.Admissions told = (Reply.Admissions) work(gate, order(true, false));

      assertThat(told.outcome().total()).isEqualTo(gate.asked.get());
      assertThat(told.outcome().perThread()).hasSize(CALLERS);
      assertThat(told.refused()).isEqualTo(gate.asked.get() / 2);
    }
  }

  @Test
  void failuresAreCountedAndTheLastOneIsTold() throws Exception {
    Gate gate =
        new EveryOther(false) {
          @Override
          public boolean pass(String key) {
            if (super.pass(key)) {
              return true;
            }
            throw new IllegalStateException("no answer");
          }
        };

    Reply.Admissions told = (Reply.Admissions) work(gate, order(false, false));

    assertThat(told.failed()).isPositive();
    assertThat(told.refused()).isZero();
    assertThat(told.failure()).isEqualTo("java.lang.IllegalStateException: no answer");
  }

  @Test
  void aLimiterThatNeverAnswersIsAnError() throws Exception {
    Gate gate =
        new EveryOther(false) {
          @Override
          public boolean pass(String key) {
            super.pass(key);
            throw new IllegalStateException("no server");
          }
        };

    assertThat(work(gate, order(false, false)))
        .isEqualTo(
            new Reply.Failed("every call failed: java.lang.IllegalStateException: no server"));
  }

  private static Reply work(Gate gate, Order.Calls order) throws Exception {
    Callers callers = new Callers(gate, List.of("key"), order);
    callers.start();
    callers.measure();
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (((EveryOther) gate).asked.get() < 50_000 && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(100_000);
    }
    callers.pause();
    return callers.stop();
  }

  private static Order.Calls order(boolean async, boolean recorded) {
    return new Order.Calls(1, CALLERS, async, 1, 0, recorded);
  }

  /** Refuses every second call, at once or from another thread. */
  private static class EveryOther implements Gate {
    final AtomicLong asked = new AtomicLong();
    private final boolean atOnce;

    EveryOther(boolean atOnce) {
      this.atOnce = atOnce;
    }

    @Override
    public boolean pass(String key) {
      return asked.incrementAndGet() % 2 == 1;
    }

    @Override
    public CompletionStage<Boolean> passLater(String key) {
      return atOnce
          ? CompletableFuture.completedFuture(pass(key))
          : CompletableFuture.supplyAsync(() -> pass(key), ForkJoinPool.commonPool());
    }
  }
}
