package dev.sluice.testkit.lock;

import static dev.sluice.spi.LockMessage.Kind.TAKEN;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.NONE;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.FORCE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.LockMessage;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/**
 * Tests of an operator's forced release: the store ends the grant of any client, and the old holder
 * cannot do harm with its lease and token.
 *
 * @since 0.1
 */
public interface ForceRelease extends LockContract {

  private static DistributedLock ours(Sluice client) {
    return client.lock(NAME, LONG);
  }

  private ForcedRelease force() {
    return ours(watcher()) // connected: a reservation does not outlast a slow connection
        .forceRelease()
        .orElseThrow(() -> new AssertionError("the lock was free"));
  }

  @Test
  default void endsTheGrantAndSaysWhoseItWas() {
    Sluice a = client();
    Lease lease = take(a, LONG);
    LockInfo.Holder before = info().holder().orElseThrow();
    ForcedRelease forced = force();

    assertThat(forced.holder().client()).isEqualTo(a.clientId());
    assertThat(forced.holder().attempt()).isEqualTo(before.attempt());
    assertThat(forced.holder().token()).isEqualTo(lease.token());
    assertThat(forced.holder().since()).isEqualTo(before.since());
    assertThat(forced.holder().remaining()).isPositive().isLessThanOrEqualTo(LONG.ttl());
    assertNothingLeft();
  }

  @Test
  default void nextTokenIsAboveTheFenceThatIsAboveEveryOldToken() {
    Sluice a = client();
    Lease first = take(a, LONG);
    CompletableFuture<Lease> second = queue(a, LONG);
    CompletableFuture<Lease> third = queue(a, LONG);
    first.close();
    granted(second, POLL); // has a block of tokens, for local hand-off
    assertThat(third).isNotDone();
    long reserved = info().lastToken();
    ForcedRelease forced = force();

    assertThat(forced.fence()).isGreaterThan(reserved);
    assertThat(granted(third, POLL).token()).isGreaterThan(forced.fence());
  }

  @Test
  default void holderIsToldByMessage() {
    List<LeaseState> told = new CopyOnWriteArrayList<>();
    Lease lease = take(client(), LONG);
    lease.onChange((l, state) -> told.add(state));
    force();

    until("the loss is reported", () -> told.contains(LeaseState.LOST)); // no time passes
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(lease.release()).isFalse();
  }

  @Test
  default void holderOfALeaseThatIsNotRenewedIsToldByMessageToo() {
    FlakyBackend line = line();
    Lease lease = take(client(line), LockOptions.fixed(AGES));
    until("messages would come", line::isListening);
    force();

    until("the loss is known", () -> lease.state() == LeaseState.LOST);
  }

  @Test
  default void holderLearnsByItsNextRenewalWhenTheMessageIsLost() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.losesMessages(true);
    Lease lease = take(a, STEADY);
    force();

    within("the loss is known", STEADY.ttl(), () -> lease.state() == LeaseState.LOST);
    assertThat(line.calls(RENEW)).isPositive();
    assertThat(lock(a, STEADY).stats().losses()).isEqualTo(1);
  }

  @Test
  default void lateReleaseOfTheOldHolderTouchesNothing() {
    FlakyBackend line = line();
    Lease old = take(unreached(line), LONG);
    force();
    Sluice other = client();
    Lease next = take(other, LONG);

    assertThat(old.release()).isFalse();
    assertThat(holds(other)).isTrue();
    assertThat(next.renew(LONG.ttl())).isTrue();
  }

  @Test
  default void lateRenewalOfTheOldHolderTouchesNothing() {
    FlakyBackend line = line();
    Lease old = take(unreached(line), LONG);
    force();

    assertThat(old.renew(LONG.ttl())).isFalse();
    assertThat(old.state()).isEqualTo(LeaseState.LOST);
    assertNothingLeft();
  }

  @Test
  default void lateAcquireOfTheEndedAttemptTakesNothing() {
    FlakyBackend line = line();
    take(unreached(line), LONG);
    force();
    line.deliverAgain(line.acquires().get(0));

    assertNothingLeft();
  }

  @Test
  default void nextWaiterIsServedAtOnceAndInOrder() {
    FlakyBackend line = line();
    take(unreached(line), LONG);
    CompletableFuture<Lease> second = enqueue(client(), LONG);
    CompletableFuture<Lease> third = enqueue(client(), LONG);
    ForcedRelease forced = force();

    Lease lease = granted(second); // no time passes where it can be held
    assertThat(lease.token()).isGreaterThan(forced.fence());
    assertThat(third).isNotDone();
    lease.close();
    granted(third, POLL);
  }

  @Test
  default void reservationThatNobodyTookUpIsEndedToo() {
    FlakyBackend line = line();
    Sluice other = client(line);
    Lease held = take(client(), LONG);
    line.losesMessages(true);
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    line.set(ACQUIRE, LOSES_REQUEST);
    line.awaitAnswers(); // a request that is still on its way would take up the reservation
    held.close();
    ForcedRelease forced = force();
    line.set(ACQUIRE, NONE);

    assertThat(forced.holder().client()).isEqualTo(other.clientId());
    assertThat(granted(waiting, POLL.multipliedBy(2)).token()).isGreaterThan(forced.fence());
  }

  @Test
  default void grantThatWasEndedBeforeItsAnswerCameIsNotHandedOut() {
    FlakyBackend line = line();
    Sluice other = client(line);
    take(other, LONG).close();
    until("messages would come", line::isListening);
    line.next(ACQUIRE, HOLDS_REPLY);
    CompletableFuture<Lease> waiting = queue(other, LONG);
    until("the store granted it", () -> line.heldCalls() == 1 && holds(other));
    ForcedRelease forced = force();
    until("the message came", () -> line.messages().contains(new LockMessage(TAKEN, NAME)));
    line.takeHeld().deliver();

    Lease lease = granted(waiting);
    assertThat(lease.token()).isGreaterThan(forced.fence());
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
  }

  @Test
  default void holderThatNobodyLookedAtStays() {
    take(client(), LONG).close();
    Sluice a = client();
    Lease lease = take(a, LONG);
    LockInfo before = info();

    assertThat(ours(client()).forceRelease(lease.token() - 1)).isEmpty();
    assertThat(ours(client()).forceRelease(lease.token() + 1)).isEmpty();
    assertThat(info().lastToken()).isEqualTo(before.lastToken());
    assertThat(holds(a)).isTrue();
    assertThat(lease.renew(LONG.ttl())).isTrue();
  }

  @Test
  default void holderThatSomebodyLookedAtGoes() {
    Lease lease = take(client(), LONG);
    long shown = info().holder().orElseThrow().token();

    assertThat(ours(client()).forceRelease(shown)).isPresent();
    until("the loss is known", () -> lease.state() == LeaseState.LOST);
    assertNothingLeft();
  }

  @Test
  default void tokenThatNobodyEverHasIsMisuse() {
    for (long bad : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> ours(client()).forceRelease(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("token must be >= 1: " + bad);
    }
  }

  @Test
  default void freeLockIsLeftAsItIs() {
    take(client(), LONG).close();
    LockInfo before = info();

    assertThat(ours(client()).forceRelease()).isEmpty();
    assertThat(info()).isEqualTo(before);
  }

  @Test
  default void lockThatNobodyEverHeldIsLeftAlone() {
    assertThat(ours(client()).forceRelease()).isEmpty();
    assertThat(info().lastToken()).isZero();
  }

  @Test
  default void leaseThatRanOutIsNobodysAnyMore() {
    take(unreached(line()), FIXED);
    store().pass(SHORT_TTL.plusMillis(5));

    assertThat(ours(client()).forceRelease()).isEmpty();
  }

  @Test
  default void ownLeaseCanBeEndedToo() {
    Sluice a = client();
    Lease lease = take(a, LONG);

    assertThat(ours(a).forceRelease()).isPresent();
    until("the loss is known", () -> lease.state() == LeaseState.LOST);
    assertThat(take(a, LONG).token()).isGreaterThan(lease.token());
  }

  @Test
  default void stickyLockIsNotTakenAgainOnceItWasEnded() {
    Sluice a = client();
    Lease lease = take(a, LONG.sticky(Duration.ofSeconds(20)));
    lease.close();
    ForcedRelease forced = force();
    Sluice other = client();
    Lease next = take(other, LONG);

    assertThat(next.token()).isGreaterThan(forced.fence());
    until("the keeper knows", () -> lock(a, LONG).tryAcquire().isEmpty());
    assertThat(holds(other)).isTrue();
  }

  @Test
  default void silentStoreIsUnknownAndTheGrantMayBeEnded() {
    Sluice a = client();
    Lease lease = take(a, LONG);
    FlakyBackend line = line().next(FORCE, LOSES_REPLY);

    assertThatThrownBy(() -> ours(client(line)).forceRelease())
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining(NAME);
    until("the loss is known", () -> lease.state() == LeaseState.LOST);
    assertNothingLeft();
  }

  @Test
  default void nothingIsLeftBehind() {
    take(client(), LONG);
    force();

    assertThat(store().forgetsInTime(NAME)).isTrue();
  }

  @Test
  default void turnsGrantsAndLossesAreCounted() {
    Sluice a = client();
    assertThat(lock(a, LONG).stats().turns()).isZero();
    Lease lease = take(a, LONG);
    CompletableFuture<Lease> second = queue(a, LONG);
    CompletableFuture<Lease> third = queue(a, LONG);
    lease.close();
    granted(second, POLL).close();
    Lease last = granted(third, POLL);
    force();
    until("the loss is known", () -> last.state() == LeaseState.LOST);

    until("it is counted", () -> lock(a, LONG).stats().losses() == 1);
    assertThat(lock(a, LONG).stats().turns()).isEqualTo(3);
    assertThat(lock(a, LONG).stats().grants()).isEqualTo(2);
    Optional<Lease> other = lock(client(), LONG).tryAcquire();
    assertThat(other).isPresent();
    assertThat(lock(a, LONG).stats().turns()).as("of another process").isEqualTo(3);
  }

  /** A client that no message reaches. */
  private Sluice unreached(FlakyBackend line) {
    line.losesMessages(true);
    return client(line);
  }
}
