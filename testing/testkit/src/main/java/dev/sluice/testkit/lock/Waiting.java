package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Tests of promise L6 (no waiter waits for a dead holder) and of the order of waiters.
 *
 * @since 0.1
 */
public interface Waiting extends LockContract {
  Duration HEARTBEAT = Duration.ofNanos(LockProtocol.HEARTBEAT_MICROS * 1000);

  @Test
  default void l6_waitOnAHeldLockEndsInTimeAndLeavesNoTicket() throws Exception {
    Sluice a = client();
    Sluice other = client();
    take(a, LONG);
    Duration longest = Duration.ofSeconds(1);
    long start = store().nanos();
    CompletableFuture<Lease> waiting =
        lock(other, LONG).async().acquire(longest).toCompletableFuture();
    CompletableFuture<Long> end = waiting.handle((lease, failure) -> store().nanos());
    until("it waits", () -> waits(other) || waiting.isDone());

    within("the wait is over", Duration.ofMillis(1010), waiting::isDone);
    assertThat(end.join() - start).isGreaterThanOrEqualTo(longest.toNanos());
    assertThatThrownBy(waiting::join).cause().isInstanceOf(LockTimeoutException.class);
    until("the ticket is taken back", () -> info().waiters().isEmpty());
    assertThat(holds(a)).isTrue();
  }

  @Test
  default void l6_threadWaitsNoLongerThanItSaid() throws Exception {
    Sluice a = client();
    Sluice other = client();
    take(a, LONG);
    Running<Optional<Lease>> waiting =
        start(() -> lock(other, LONG).tryAcquire(Duration.ofSeconds(1)));
    until("it waits", () -> waits(other) || waiting.future().isDone());
    within("the wait is over", Duration.ofMillis(1050), waiting.future()::isDone);

    assertThat(waiting.result()).isEmpty();
    until("the ticket is taken back", () -> info().waiters().isEmpty());
  }

  @Test
  default void l6_zeroWaitAsksOnce() throws Exception {
    FlakyBackend line = line();
    Sluice other = client(line);
    take(client(), LONG);

    assertThat(lock(other, LONG).tryAcquire(Duration.ZERO)).isEmpty();
    assertThatThrownBy(() -> lock(other, LONG).acquire(Duration.ZERO))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessage("%s '%s': held by another lease", noun(), NAME);
    assertThat(line.calls(ACQUIRE)).isEqualTo(2);
    assertThat(info().waiters()).isEmpty();
  }

  @Test
  default void l6_waiterProceedsWhenTheLeaseRanOut() {
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(4));
    FlakyBackend line = line();
    Sluice other = client();
    take(client(line), fixed);
    line.die();

    granted(enqueue(other, LONG), fixed.ttl().plusMillis(100));
    assertThat(holds(other)).isTrue();
  }

  @Test
  default void l6_deadHolderCostsAtMostItsTtl() {
    FlakyBackend line = line();
    Sluice other = client();
    take(client(line), STEADY);
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    store().pass(STEADY.ttl().plusMillis(100)); // renewed meanwhile
    assertThat(waiting).isNotDone();
    line.die();

    granted(waiting, STEADY.ttl().plusMillis(100));
  }

  @Test
  default void l6_deadWaiterIsSkipped() {
    FlakyBackend line = line();
    Lease held = take(client(), LONG);
    enqueue(client(line), LONG);
    CompletableFuture<Lease> waiting = enqueue(client(), LONG);
    line.die();
    held.close();

    granted(waiting, HEARTBEAT.plus(POLL));
  }

  @Test
  default void l6_waiterThatDiedBeforeTheReleaseCostsNothing() {
    FlakyBackend line = line();
    Lease held = take(client(), LONG);
    enqueue(client(line), LONG);
    CompletableFuture<Lease> waiting = enqueue(client(), LONG);
    line.die();
    store().pass(HEARTBEAT.plusMillis(1));
    held.close();

    granted(waiting);
  }

  @Test
  default void l6_deadHolderAndDeadWaiterAreBothSkipped() {
    FlakyBackend holder = line();
    FlakyBackend waiter = line();
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(4));
    Sluice dying = client(waiter);
    Sluice other = client();
    take(client(holder), fixed);
    enqueue(dying, fixed); // as short, where it comes after the end of the first
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    holder.die();
    waiter.die();

    granted(waiting, fixed.ttl().plus(POLL));
  }

  @Test
  default void l6_wakeUpComesByMessage() {
    FlakyBackend line = line();
    Sluice waiter = client(line);
    boolean woken = false;
    for (int tries = 0; tries < 3 && !woken; tries++) { // it may be sent before anybody listens
      Lease held = take(client(), LONG);
      CompletableFuture<Lease> waiting = enqueue(waiter, LONG);
      line.awaitAnswers();
      line.set(ACQUIRE, HOLDS_REQUEST); // no poll comes before the message
      held.close();
      long start = System.nanoTime();
      while (!woken && System.nanoTime() - start < store().patience().toNanos() / 4) {
        LockSupport.parkNanos(500_000);
        woken = wakeUps(List.of(line)) > 0;
      }
      line.heal();
      granted(waiting, POLL).close();
    }
    assertThat(woken).as("the waiter was told").isTrue();
  }

  @Test
  default void l6_lostWakeUpCostsAtMostAPoll() {
    FlakyBackend line = line();
    Lease held = take(client(), LONG);
    line.losesMessages(true);
    CompletableFuture<Lease> waiting = enqueue(client(line), LONG);
    until("messages would come", line::isListening);
    held.close();

    granted(waiting, POLL.plusMillis(10));
  }
}
