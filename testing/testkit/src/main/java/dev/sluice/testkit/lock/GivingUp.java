package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests of a caller that stops waiting and leaves nothing behind: interrupts, cancelled stages.
 *
 * @since 0.1
 */
public interface GivingUp extends LockContract {

  @Test
  default void interruptOnEntryTakesNothing() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<Boolean> interrupted =
        start(
            () -> {
              Thread.currentThread().interrupt();
              assertThatThrownBy(() -> lock(a, LONG).acquire(AGES))
                  .isInstanceOf(InterruptedException.class)
                  .hasMessage("interrupted while waiting for %s '%s'", noun(), NAME);
              return Thread.interrupted();
            });
    assertThat(interrupted.result()).isFalse();
    assertThat(line.calls(ACQUIRE)).isZero();
    assertNothingLeft();
  }

  @Test
  default void interruptedWaiterLeavesNothing() throws Exception {
    FlakyBackend line = line();
    Sluice a = client();
    Sluice other = client(line);
    Lease held = take(a, LONG);
    Running<Lease> waiting = start(() -> lock(other, LONG).acquire(AGES));
    until("it waits", () -> waits(other));
    waiting.thread().interrupt();

    assertThatThrownBy(waiting::result).cause().isInstanceOf(InterruptedException.class);
    until("the ticket is taken back", () -> info().waiters().isEmpty());
    int before = line.calls(ACQUIRE);
    store().pass(POLL.multipliedBy(2));
    assertThat(line.calls(ACQUIRE)).isEqualTo(before);
    held.close();
    assertNothingLeft();
  }

  @Test
  default void interruptWhileTheRequestIsOnItsWayLeavesNothing() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REQUEST);
    Running<Lease> waiting = start(() -> lock(a, LONG).acquire(AGES));
    until("the request is on its way", () -> line.heldCalls() == 1);
    waiting.thread().interrupt();
    assertThatThrownBy(waiting::result).cause().isInstanceOf(InterruptedException.class);

    line.takeHeld().deliver();
    until("the grant is released", () -> line.calls(RELEASE) == 1);
    until("the lock is free", () -> info().holder().isEmpty());
    assertNothingLeft();
  }

  @Test
  default void interruptEndsACallThatAsksOnce() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REQUEST);
    Running<Lease> asking = start(() -> lock(a, LONG).acquire(Duration.ZERO));
    until("the request is on its way", () -> line.heldCalls() == 1);
    asking.thread().interrupt();
    until("it ends", asking.future()::isDone);
    assertThatThrownBy(asking::result).cause().isInstanceOf(InterruptedException.class);

    line.takeHeld().deliver();
    until("the grant is released", () -> line.calls(RELEASE) == 1);
    line.awaitAnswers();
    assertNothingLeft();
  }

  @Test
  default void closeWaitsForTheGrantThatNobodyWantsAnyMore() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REPLY);
    Running<Lease> waiting = start(() -> lock(a, LONG).acquire(AGES));
    until("the grant is on its way", () -> line.heldCalls() == 1);
    waiting.thread().interrupt();
    assertThatThrownBy(waiting::result).cause().isInstanceOf(InterruptedException.class);
    FlakyBackend.Held grant = line.takeHeld();
    line.set(RELEASE, HOLDS_REQUEST);
    grant.deliver();
    until("it is released", () -> line.heldCalls() == 1);

    Running<Boolean> closing =
        start(
            () -> {
              a.close();
              return info().holder().isEmpty();
            });
    until("it is closing", () -> closing.thread().getState() == Thread.State.TIMED_WAITING);
    line.takeHeld().deliver();
    assertThat(closing.result()).as("the lock is free when the client is closed").isTrue();
  }

  @Test
  default void cancelledStageGivesItsPlaceUp() {
    Sluice a = client();
    Sluice other = client();
    Lease held = take(a, LONG);
    CompletableFuture<Lease> cancelled = enqueue(other, LONG);
    CompletableFuture<Lease> waiting = enqueue(client(), LONG);
    cancelled.cancel(false);
    until("the ticket is taken back", () -> !waits(other));
    held.close();

    granted(waiting, POLL);
    assertThat(cancelled).isCancelled();
  }

  @Test
  default void grantThatComesAfterTheCancelIsGivenBack() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REQUEST);
    CompletableFuture<Lease> cancelled = queue(a, LONG);
    until("the request is on its way", () -> line.heldCalls() == 1);
    cancelled.cancel(false);
    line.takeHeld().deliver();

    until("the grant is released", () -> line.calls(RELEASE) > 0);
    until("the lock is free", () -> info().holder().isEmpty());
  }

  /** The grant arrives between the caller's cancel and its processing. */
  @Test
  default void grantThatCrossesTheCancelIsGivenBack() {
    AtomicInteger callbacks = new AtomicInteger();
    Sluice a = client();
    Sluice other =
        client(
            line(),
            builder ->
                builder.callbacks(
                    task -> {
                      task.run();
                      callbacks.incrementAndGet();
                    }));
    Lease held = take(a, LONG);
    CompletableFuture<Lease> crossing = enqueue(other, LONG);
    crossing.whenComplete( // runs before what the library attached earlier
        (lease, failure) -> {
          held.close();
          until("the grant has arrived", () -> callbacks.get() > 0);
        });
    crossing.cancel(false);

    within("the lock is free", POLL, () -> info().holder().isEmpty());
    take(client(), LONG);
  }

  @Test
  default void stageThatTimesOutByItselfGivesItsPlaceUp() {
    Sluice a = client();
    Sluice other = client();
    Lease held = take(a, LONG);
    CompletableFuture<Lease> ended = enqueue(other, LONG);
    ended.completeExceptionally(new java.util.concurrent.TimeoutException("caller's own"));

    until("the ticket is taken back", () -> !waits(other));
    held.close();
    assertNothingLeft();
  }
}
