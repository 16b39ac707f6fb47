package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.NONE;
import static dev.sluice.testkit.FlakyBackend.Fault.REPEATS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.AsyncLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.spi.GrantRequest;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests of promises L7 (unknown is not refused) and L8 (nothing left behind).
 *
 * @since 0.1
 */
public interface UnknownOutcomes extends LockContract {
  Duration SOON = Duration.ofSeconds(2);

  @Test
  default void l7_lostReplyIsAnExceptionAndTheGrantIsUndone() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, LOSES_REPLY);

    assertThatThrownBy(() -> lock(a, LONG).tryAcquire())
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageStartingWith(noun() + " '" + NAME + "': ");
    within("the grant is undone", SOON, () -> info().holder().isEmpty());
    take(client(), LONG);
  }

  @Test
  default void l7_lostReplyAndLostUndoAreUndoneAllTheSame() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, LOSES_REPLY);
    line.set(RELEASE, LOSES_REQUEST);

    assertThatThrownBy(() -> lock(a, LONG).tryAcquire())
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(holds(a)).isTrue();
    within("the releases fail", Duration.ofSeconds(5), () -> line.calls(RELEASE) > 3);
    line.set(RELEASE, NONE);
    within("the grant is undone", Duration.ofSeconds(5), () -> info().holder().isEmpty());
  }

  @Test
  default void l7_lostRequestIsAnExceptionAndNeverEmpty() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.set(ACQUIRE, LOSES_REQUEST);

    assertThatThrownBy(() -> lock(a, LONG).tryAcquire())
        .isInstanceOf(OutcomeUnknownException.class);
    CompletableFuture<Lease> waiting =
        lock(a, LONG).async().acquire(Duration.ofMillis(300)).toCompletableFuture();
    within("the wait is over", Duration.ofMillis(400), waiting::isDone);
    assertThatThrownBy(waiting::join)
        .cause()
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("did not answer; a grant that comes late is released");
  }

  @Test
  default void l7_lockThatWasTakenHereDuringTheWaitIsBusyAndNotUnknown() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease held = take(a, LONG);
    store().pass(Duration.ofMillis(1)); // what the store said is older than the waits
    AsyncLock other = lock(a, LockOptions.fixed(LONG.ttl())).async();
    CompletableFuture<Lease> waiting = other.acquire(Duration.ofSeconds(1)).toCompletableFuture();
    CompletableFuture<Optional<Lease>> trying =
        other.tryAcquire(Duration.ofSeconds(1)).toCompletableFuture();
    line.set(ACQUIRE, HOLDS_REPLY);
    held.releaseAsync();
    within(
        "the waits are over", Duration.ofMillis(1100), () -> waiting.isDone() && trying.isDone());
    line.heal();

    assertThatThrownBy(waiting::join)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageEndingWith("held by another lease");
    assertThat(trying.join()).isEmpty();
    until("nothing is held", () -> info().holder().isEmpty());
  }

  @Test
  default void l7_storeThatRefusesIsABackendException() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.failWith(ACQUIRE, new BackendException("no room at the store", null));

    assertThatThrownBy(() -> lock(a, LONG).tryAcquire())
        .isExactlyInstanceOf(BackendException.class)
        .hasMessage("%s '%s': no room at the store", noun(), NAME);
    CompletableFuture<Lease> waiting =
        lock(a, LONG).async().acquire(Duration.ofMillis(300)).toCompletableFuture();
    within("the wait is over", Duration.ofMillis(400), waiting::isDone);
    assertThatThrownBy(waiting::join)
        .cause()
        .isExactlyInstanceOf(BackendException.class)
        .hasMessageContaining("no room at the store");
    line.failWith(ACQUIRE, null);
    take(a, LONG);
  }

  @Test
  default void l7_waitGoesOnWhereTheReplyWasLostAndCountsOnce() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, LOSES_REPLY);

    Lease lease = granted(queue(a, LONG), SOON);

    List<GrantRequest> sent = line.acquires();
    assertThat(sent).hasSizeGreaterThan(1);
    assertThat(sent).extracting(GrantRequest::attempt).containsOnly(sent.get(0).attempt());
    assertThat(info().holder().orElseThrow().token()).isEqualTo(lease.token());
    assertThat(lease.release()).isTrue();
    assertNothingLeft();
  }

  @Test
  default void l7_repeatedTicketQueuesOnce() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Sluice other = client();
    Lease held = take(other, LONG);
    line.set(ACQUIRE, REPEATS_REQUEST);
    CompletableFuture<Lease> waiting = enqueue(a, LONG);
    assertThat(info().waiters()).hasSize(1);

    held.close();
    granted(waiting, SOON).close();
    assertNothingLeft();
  }

  @Test
  default void l7_requestThatArrivesAfterItWasGivenUpTakesNothing() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REQUEST);
    CompletableFuture<?> asked = lock(a, LONG).async().tryAcquire().toCompletableFuture();
    until("the request is on its way", () -> line.heldCalls() == 1);
    FlakyBackend.Held late = line.takeHeld();
    late.timeOut();
    until("the caller was told", asked::isDone);
    assertThatThrownBy(asked::join).cause().isInstanceOf(OutcomeUnknownException.class);
    within("the attempt is undone", SOON, () -> line.calls(RELEASE) > 0);

    late.deliver();

    assertNothingLeft();
    take(client(), LONG);
  }

  @Test
  default void l7_retriedReleaseSucceeds() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, LONG);
    line.next(RELEASE, LOSES_REQUEST).next(RELEASE, LOSES_REPLY);

    assertThat(lease.release()).isTrue();
    within("it is freed", SOON, () -> info().holder().isEmpty());
    take(client(), LONG);
  }

  @Test
  default void l7_retriedReleaseHarmsNobody() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, LONG);
    line.next(RELEASE, LOSES_REPLY);
    assertThat(lease.release()).isTrue();
    Sluice other = client();
    Lease next = take(other, LONG);

    within("the release is repeated", SOON, () -> line.calls(RELEASE) > 1);
    assertThat(holds(other)).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  default void l7_pendingUndoDoesNotEndTheNextLeaseOfTheSameProcess() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, LONG);
    line.set(RELEASE, LOSES_REQUEST);
    assertThat(lease.release()).isTrue();
    Lease next = take(a, LONG);
    line.set(RELEASE, NONE);
    int before = line.calls(RELEASE);
    within("the release is repeated", Duration.ofSeconds(5), () -> line.calls(RELEASE) > before);

    next.checkHeld();
    assertThat(holds(a)).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(next.release()).isTrue();
    assertNothingLeft();
  }

  @Test
  default void l7_grantThatComesAfterItsLeaseEndedIsAnErrorAndIsGivenBack() {
    FlakyBackend line = line().set(ACQUIRE, HOLDS_REPLY);
    Sluice a = client(line);
    CompletableFuture<Optional<Lease>> asked =
        lock(a, FIXED).async().tryAcquire().toCompletableFuture();
    until("the grant is on its way", () -> line.heldCalls() == 1);
    store().pass(SHORT_TTL);
    line.takeHeld().deliver();

    until("the caller has an answer", asked::isDone);
    assertThatThrownBy(asked::join)
        .cause()
        .isExactlyInstanceOf(BackendException.class)
        .hasMessageStartingWith(noun() + " '" + NAME + "': the grant came too late")
        .hasMessageMatching("(?s).*round trip took \\d+m?s.*TTL of 600ms.*margin of 7ms");
    assertThat(line.calls(ACQUIRE)).isEqualTo(1);
    until("the grant is released", () -> info().holder().isEmpty());
    line.set(ACQUIRE, NONE);
    take(a, LONG);
  }

  @Test
  default void l7_waitThatSawOnlyLateGrantsEndsWithTheReason() {
    FlakyBackend line = line().set(ACQUIRE, HOLDS_REPLY);
    Sluice a = client(line);
    CompletableFuture<Lease> waiting =
        lock(a, FIXED).async().acquire(SHORT_TTL.multipliedBy(6)).toCompletableFuture();
    while (!waiting.isDone()) {
      within("a grant is on its way", SOON, () -> waiting.isDone() || line.heldCalls() > 0);
      if (line.heldCalls() > 0) {
        store().pass(SHORT_TTL);
        line.takeHeld().deliver();
      }
    }

    assertThatThrownBy(waiting::join)
        .cause()
        .isExactlyInstanceOf(BackendException.class)
        .hasMessageContaining("failed")
        .hasMessageContaining("the grant came too late");
    until("nothing is held", () -> info().holder().isEmpty());
  }

  @Test
  default void l7_waitGoesOnAfterAGrantThatCameTooLate() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REPLY);
    CompletableFuture<Lease> waiting = queue(a, FIXED);
    until("the grant is on its way", () -> line.heldCalls() == 1);
    store().pass(SHORT_TTL);
    line.takeHeld().deliver();

    Lease lease = granted(waiting, SOON);
    LockInfo info = info();
    if (lease.state() == LeaseState.HELD) { // else it may have ended at the store
      assertThat(info.holder().orElseThrow().token()).isEqualTo(lease.token());
    }
  }

  @Test
  default void l7_grantThatCameTooLateForOneTtlHoldsUpNoOtherTtl() {
    FlakyBackend line = line().set(ACQUIRE, HOLDS_REPLY);
    Sluice a = client(line);
    CompletableFuture<Lease> brief = queue(a, FIXED);
    until("the grant is on its way", () -> line.heldCalls() == 1);
    CompletableFuture<Lease> lasting = queue(a, LONG);
    store().pass(SHORT_TTL);
    line.takeHeld().deliver();
    within("the next grant is on its way", SOON, () -> line.heldCalls() == 1);
    store().pass(SHORT_TTL);
    line.set(ACQUIRE, NONE).takeHeld().deliver();

    granted(lasting).checkHeld();
    assertThat(brief).isNotDone();
  }

  @Test
  default void l7_endOfTheWaitIsToldFromASilentStore() throws Exception {
    Sluice a = client();
    take(client(), LONG);
    CompletableFuture<Lease> waiting =
        lock(a, LONG).async().acquire(Duration.ofSeconds(1)).toCompletableFuture();
    within("the wait is over", Duration.ofMillis(1100), waiting::isDone);
    assertThatThrownBy(waiting::join)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageMatching(
            noun()
                + " '\\Q"
                + NAME
                + "\\E': not acquired within \\d+(ms|s); held by another lease");
  }

  @Test
  default void l8_nothingStaysBeyondTheRetention() {
    Sluice a = client();
    Sluice other = client();
    Lease lease = take(a, LONG);
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    lease.close();
    granted(waiting, SOON).close();
    assertNothingLeft();
    assertThat(names(a)).contains(NAME);

    assertThat(store().forgetsInTime(NAME)).isTrue();
  }

  @Test
  default void l8_deadClientsLeaveNothing() {
    FlakyBackend holder = line();
    FlakyBackend waiter = line();
    Sluice dying = client(holder);
    Sluice waiting = client(waiter);
    LockOptions fixed = LockOptions.fixed(Duration.ofMillis(1500));
    take(dying, fixed);
    enqueue(waiting, fixed);
    holder.die();
    waiter.die();
    store().pass(Duration.ofSeconds(3));

    assertNothingLeft();
    assertThat(store().forgetsInTime(NAME)).isTrue();
  }

  @Test
  default void l8_closeGivesLeasesBackAndEndsWaits() throws Exception {
    Sluice a = client();
    Sluice other = client();
    Lease lease = take(a, LONG);
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    CompletableFuture<Lease> alsoWaiting = queue(other, LONG);
    other.close();
    other.close();
    for (CompletableFuture<Lease> each : List.of(waiting, alsoWaiting)) {
      until("the wait is over", each::isDone);
      assertThatThrownBy(each::join)
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this Sluice is closed");
    }
    settle();
    assertThat(info().waiters()).isEmpty();
    a.close();
    assertNothingLeft();
    assertThat(lease.release()).isFalse();
    assertThat(ended(lease.releaseAsync())).isFalse();
    assertThatThrownBy(() -> lock(a, LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this Sluice is closed");
  }

  @Test
  default void l8_taskThatOutlivesItsClientFailsWithTheReason() {
    Sluice a = client();
    assertThatThrownBy(() -> lock(a, LONG).run(AGES, a::close))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageStartingWith(
            "%s '%s' lost: this Sluice was closed before the lease was released", noun(), NAME);
    assertNothingLeft();
  }

  @Test
  default void l8_closeEndsAThreadsWait() throws Exception {
    Sluice a = client();
    Sluice other = client();
    take(a, LONG);
    Running<Lease> waiting = start(() -> lock(other, LONG).acquire(AGES));
    until("it waits", () -> waits(other));
    other.close();

    assertThatThrownBy(waiting::result)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this Sluice is closed");
    until("the queue is empty", () -> info().waiters().isEmpty()); // the last node of a quorum, too
  }
}
