package dev.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.run.LockTurns.Pattern;
import dev.sluice.bench.systems.KeyedCall;
import dev.sluice.bench.systems.Library;
import dev.sluice.bench.systems.LockUse;
import dev.sluice.bench.systems.Mutex;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checkers are checked: a lock that lets two in, and a call that fails, must be noticed. */
class CallersTest {
  private static final int CALLERS = 4;

  @TempDir Path folder;
  private int pages;

  @Test
  void aLockThatExcludesLosesNothing() throws Exception {
    Measured done = locked(new ReentrantLock());

    LoopOutcome outcome = done.outcomes().get(0);
    assertThat(outcome.total()).isPositive();
    assertThat(outcome.measured()).isPositive();
    assertThat(outcome.perCaller()).hasSize(CALLERS);
    assertThat(outcome.waits().getTotalCount()).isEqualTo(outcome.measured());
    done.checkExclusion("fair");
  }

  @Test
  void aLockThatLetsAllInIsNoticed() throws Exception {
    Measured done = locked(null);
    for (int i = 1; i < 20 && done.page().count() == done.total(); i++) {
      done = locked(null); // threads that happened to run one after the other lose nothing
    }
    Measured broken = done;

    assertThatThrownBy(() -> broken.checkExclusion("broken"))
        .isInstanceOf(Measured.ExclusionBrokenException.class)
        .hasMessageContaining("broken: ");
  }

  @Test
  void anErrorOfALibraryIsReported() throws Exception {
    Library broken =
        Library.ofLocks(
            name ->
                Mutex.of(
                    () -> {
                      throw new IllegalStateException("no server");
                    },
                    () -> {}));
    Callers callers = LockTurns.callers(broken, order(), Pattern.ONE_LOCK, LockUse.PLAIN);
    callers.start();

    assertThatThrownBy(callers::stop)
        .hasMessage("name: java.lang.IllegalStateException: no server");
  }

  /** With a lock of this JVM, or the pretence of one. */
  private Measured locked(@Nullable ReentrantLock lock) throws Exception {
    Library library =
        Library.ofLocks(
            name ->
                Mutex.of(
                    () -> {
                      if (lock != null) {
                        lock.lock();
                      }
                    },
                    () -> {
                      if (lock != null) {
                        lock.unlock();
                      }
                    }));
    WorkOrder order = order();
    SharedPage page = SharedPage.map(Path.of(order.page()));
    Callers callers = LockTurns.callers(library, order, Pattern.ONE_LOCK, LockUse.PLAIN);
    LoopOutcome outcome = work(callers, () -> page.count() > 500_000);
    ServerCounters none = new ServerCounters(Map.of(), Map.of(), 0);
    return new Measured(List.of(outcome), none, none, none, none, Double.NaN, page);
  }

  @Test
  void whatWasRefusedIsCountedAndWhatWasAdmittedIsTimed() throws Exception {
    EveryOther call = new EveryOther(false);

    LoopOutcome told = work(call, order().every(Duration.ZERO));

    assertThat(told.total()).isEqualTo(call.asked.get());
    assertThat(told.refused()).isEqualTo(call.asked.get() / 2);
    assertThat(told.asked()).hasSize((int) (call.asked.get() - told.refused()));
    assertThat(told.failed()).isZero();
    assertThat(told.lastAsked()).isGreaterThan(told.firstAsked());
  }

  @Test
  void chainsGoOnWhicheverThreadAnswers() throws Exception {
    for (boolean atOnce : new boolean[] {true, false}) {
      EveryOther call = new EveryOther(atOnce);

      LoopOutcome told = work(call, order().asynchronous());

      assertThat(told.total()).isEqualTo(call.asked.get());
      assertThat(told.perCaller()).hasSize(CALLERS);
      assertThat(told.refused()).isEqualTo(call.asked.get() / 2);
    }
  }

  @Test
  void failuresOfCallsAreCounted() throws Exception {
    EveryOther call =
        new EveryOther(false) {
          @Override
          public boolean call(String key) {
            if (super.call(key)) {
              return true;
            }
            throw new IllegalStateException("no answer");
          }
        };

    LoopOutcome told = work(call, order());

    assertThat(told.failed()).isPositive();
    assertThat(told.refused()).isZero();
  }

  @Test
  void aLimiterThatNeverAnswersIsAnError() {
    EveryOther call =
        new EveryOther(false) {
          @Override
          public boolean call(String key) {
            super.call(key);
            throw new IllegalStateException("no server");
          }
        };

    assertThatThrownBy(() -> work(call, order()))
        .hasMessage("every call failed: java.lang.IllegalStateException: no server");
  }

  @Test
  void aClaimThatIsNotAcceptedIsAnError() {
    for (boolean streamed : new boolean[] {true, false}) {
      EveryOther call = new EveryOther(true);
      Callers callers =
          streamed ? Callers.streams(order(), call, 8) : Callers.claims(order(), call);

      assertThatThrownBy(() -> work(callers, () -> call.asked.get() > 100))
          .hasMessageContaining("a claim was not answered as expected");
    }
  }

  private static LoopOutcome work(EveryOther call, WorkOrder order) throws Exception {
    Callers callers = Callers.calls(order, call, List.of("key"));
    return work(callers, () -> call.asked.get() > 50_000);
  }

  private static LoopOutcome work(Callers callers, BooleanSupplier enough) throws Exception {
    callers.start();
    callers.measure();
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!enough.getAsBoolean() && callers.failure == null && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(100_000);
    }
    callers.pause();
    return callers.stop();
  }

  private WorkOrder order() {
    return WorkOrder.of("name", CALLERS).in(1, folder.resolve("page" + ++pages));
  }

  /** Refuses every second call, at once or from another thread. */
  private static class EveryOther implements KeyedCall {
    final AtomicLong asked = new AtomicLong();
    private final boolean atOnce;

    EveryOther(boolean atOnce) {
      this.atOnce = atOnce;
    }

    @Override
    public boolean call(String key) {
      return asked.incrementAndGet() % 2 == 1;
    }

    @Override
    public CompletionStage<Boolean> later(String key) {
      return atOnce
          ? CompletableFuture.completedFuture(call(key))
          : CompletableFuture.supplyAsync(() -> call(key), ForkJoinPool.commonPool());
    }
  }
}
