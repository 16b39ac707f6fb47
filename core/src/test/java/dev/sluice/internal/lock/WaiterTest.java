package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class WaiterTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** The thread that decides may need the carrier of the one that waits. */
  @Test
  void threadWhoseWaitHasEndedParksUntilItsOutcomeIsThere() {
    AtomicReference<Waiter.OfThread> waiter = new AtomicReference<>();
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              LockOptions options = LockOptions.fixed(Duration.ofSeconds(1));
              waiter.set(new Waiter.OfThread(options, UnitRequest.LOCK, false, 0));
              outcome.complete(waiter.get().awaitOutcome());
            });
    waiting.setDaemon(true);
    waiting.start();
    await().atMost(PATIENCE).until(() -> waiting.getState() == Thread.State.WAITING);
    assertThat(outcome).isNotDone();
    waiter.get().finish(Outcome.BUSY);
    assertThat(outcome).succeedsWithin(PATIENCE).isSameAs(Outcome.BUSY);
  }

  @Test
  void onlyItsOwnThreadEndsAWaitUnderTheMonitor() {
    LockOptions options = LockOptions.fixed(Duration.ofSeconds(1));
    Waiter.OfThread own = new Waiter.OfThread(options, UnitRequest.LOCK, false, 0);
    CompletableFuture<Waiter.OfThread> anothers = new CompletableFuture<>();
    new Thread(() -> anothers.complete(new Waiter.OfThread(options, UnitRequest.LOCK, false, 0)))
        .start();

    assertThat(own.finishOwn(Outcome.BUSY)).isTrue();
    assertThat(own.outcome()).isSameAs(Outcome.BUSY);
    assertThat(anothers).succeedsWithin(PATIENCE);
    assertThat(anothers.join().finishOwn(Outcome.BUSY)).isFalse();
    assertThat(anothers.join().outcome()).isNull();
  }
}
