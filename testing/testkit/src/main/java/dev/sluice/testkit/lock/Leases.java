package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.NONE;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Tests of promises L4 (conservative deadline) and L5 (loss is reported), and of renewal.
 *
 * @since 0.1
 */
public interface Leases extends LockContract {

  @Test
  default void l4_leaseCountsFromBeforeTheRequestLeft() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REPLY);
    CompletableFuture<Lease> waiting = queue(a, LockOptions.fixed(Duration.ofSeconds(10)));
    until("the reply is on its way", () -> line.heldCalls() == 1);
    store().pass(Duration.ofSeconds(1));
    line.takeHeld().deliver();

    // one second on the way, and a margin of 1 % and 1 ms
    assertThat(granted(waiting).remaining()).isLessThanOrEqualTo(Duration.ofMillis(8899));
  }

  @Test
  default void l4_leaseEndsForUsBeforeItEndsAtTheStore() {
    Lease lease = take(client(), LockOptions.fixed(Duration.ofSeconds(10)));
    Duration ours = lease.remaining();
    Duration theirs = info().holder().orElseThrow().remaining();
    Duration later = lease.remaining();
    // between two looks of ours the store's time lies at least the margin further, less its age
    assertThat(later).isLessThanOrEqualTo(ours);
    assertThat(later).isLessThanOrEqualTo(theirs.minusMillis(100));
  }

  @Test
  default void l4_answerThatTookLongerThanTheLeaseIsNoLease() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REPLY);
    CompletableFuture<Lease> waiting = queue(a, FIXED);
    CompletableFuture<Duration> left = waiting.thenApply(Lease::remaining);
    until("the reply is on its way", () -> line.heldCalls() == 1);
    long stale = info().lastToken();
    store().pass(SHORT_TTL.multipliedBy(2));
    line.takeHeld().deliver();

    Lease lease = granted(waiting, Duration.ofSeconds(1));
    assertThat(lease.token()).isGreaterThan(stale);
    assertThat(left.join()).isPositive();
  }

  @Test
  default void l4_holderIsNotifiedOfTheLossBeforeAnotherIsGranted() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Sluice other = client();
    List<LeaseState> heard = Collections.synchronizedList(new ArrayList<>());
    Lease first = take(a, RENEWING).onChange((lease, state) -> heard.add(state));
    line.set(RENEW, LOSES_REQUEST).set(RELEASE, LOSES_REQUEST);
    AtomicReference<LeaseState> atGrant = new AtomicReference<>();
    CompletableFuture<Lease> waiting =
        queue(other, LONG)
            .whenComplete((lease, failure) -> atGrant.compareAndSet(null, first.state()));

    granted(waiting, SHORT_TTL.multipliedBy(2));
    until("the waiter looked", () -> atGrant.get() != null);
    assertThat(atGrant.get()).isEqualTo(LeaseState.LOST);
    until("the loss was told", () -> heard.contains(LeaseState.LOST));
    assertThat(heard) // a timer that is late by the whole doubt passes it over
        .isIn(List.of(LeaseState.LOST), List.of(LeaseState.IN_DOUBT, LeaseState.LOST));
  }

  @Test
  default void l4_renewalThatIsAnsweredAfterTheDeadlineDoesNotCount() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, STEADY);
    line.set(RENEW, HOLDS_REPLY).set(RELEASE, LOSES_REQUEST);
    within("a renewal is on its way", STEADY.ttl(), () -> line.heldCalls() > 0);
    within("the lease is lost", STEADY.ttl(), () -> lease.state() == LeaseState.LOST);

    line.takeHeld().deliver();

    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::checkHeld).isInstanceOf(LeaseLostException.class);
  }

  @Test
  default void l5_eachChangeIsToldOnceAndInOrder() {
    List<LeaseState> all =
        List.of(
            LeaseState.IN_DOUBT,
            LeaseState.HELD,
            LeaseState.IN_DOUBT,
            LeaseState.HELD,
            LeaseState.IN_DOUBT,
            LeaseState.LOST);
    List<LeaseState> heard = List.of();
    // where the machine stands still until the lease is over, it is lost earlier
    for (int tries = 0; tries < 3 && !heard.equals(all); tries++) {
      heard = changesOfALeaseWhoseRenewalsFailForAWhile();
      for (int i = 0; i + 1 < heard.size(); i++) {
        assertThat(heard.get(i)).isEqualTo(all.get(i));
      }
      assertThat(heard).endsWith(LeaseState.LOST);
    }
    assertThat(heard).isEqualTo(all);
  }

  private List<LeaseState> changesOfALeaseWhoseRenewalsFailForAWhile() {
    FlakyBackend line = line();
    List<LeaseState> heard = Collections.synchronizedList(new ArrayList<>());
    LockOptions options = LockOptions.renewing(Duration.ofMillis(4200));
    Lease lease =
        granted(queue(client(line), options), POLL).onChange((l, state) -> heard.add(state));
    for (int i = 0; i < 2; i++) {
      line.set(RENEW, LOSES_REQUEST);
      within("in doubt", options.ttl(), () -> lease.state() != LeaseState.HELD);
      try {
        lease.checkHeld(); // in doubt is still ours
      } catch (LeaseLostException lost) {
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      }
      line.set(RENEW, NONE);
      within("held again", options.ttl(), () -> lease.state() != LeaseState.IN_DOUBT);
    }
    line.set(RENEW, LOSES_REQUEST);
    within("lost", options.ttl().multipliedBy(2), () -> lease.state() == LeaseState.LOST);
    assertThat(lease.release()).isFalse();
    until("the end was told", () -> heard.contains(LeaseState.LOST));
    return List.copyOf(heard);
  }

  @Test
  default void l5_lossFoundByTheRenewalIsToldAtOnce() {
    Sluice a = client();
    LockOptions options = LockOptions.renewing(Duration.ofSeconds(6));
    CountDownLatch told = new CountDownLatch(1);
    Lease lease =
        take(a, options)
            .onChange(
                (l, state) -> {
                  if (state == LeaseState.LOST) {
                    told.countDown();
                  }
                });
    store().loseData();

    within("the loss is reported", Duration.ofMillis(2300), () -> told.getCount() == 0);
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThatThrownBy(lease::checkHeld)
        .isInstanceOf(LeaseLostException.class)
        .hasMessage(
            "%s '%s' lost: the store no longer has its grant (token %d)",
            noun(), NAME, lease.token());
    assertThat(lease.renew(options.ttl())).isFalse();
    assertThat(lease.release()).isFalse();
  }

  @Test
  default void l5_lateListenerIsNotifiedOfTheEnd() {
    Sluice a = client();
    Lease released = take(a, LONG);
    released.close();
    Lease lost = take(a, FIXED);
    store().pass(SHORT_TTL.multipliedBy(2));

    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    released.onChange((lease, state) -> heard.add("first " + state));
    until("the release is reported", () -> heard.size() == 1);
    lost.onChange((lease, state) -> heard.add("second " + state));
    until("the loss is reported", () -> heard.size() == 2);
    assertThat(heard).containsExactly("first RELEASED", "second LOST");
  }

  @Test
  default void l5_failingListenerDoesNotSilenceTheOthers() {
    List<LeaseState> heard = Collections.synchronizedList(new ArrayList<>());
    Lease lease =
        take(client(), LONG)
            .onChange(
                (l, state) -> {
                  throw new IllegalStateException("listener of a test");
                })
            .onChange((l, state) -> heard.add(state));
    lease.close();

    until("the release is reported", () -> !heard.isEmpty());
    assertThat(heard).containsExactly(LeaseState.RELEASED);
  }

  @Test
  default void l5_releasedLeaseIsSpent() {
    Lease lease = take(client(), LONG);
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    lease.checkHeld();
    lease.close();

    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(lease.remaining()).isZero();
    assertThat(lease.release()).isFalse();
    assertThat(lease.renew(Duration.ofSeconds(30))).isFalse();
    assertThat(ended(lease.releaseAsync())).isFalse();
    assertThatThrownBy(lease::checkHeld)
        .isInstanceOf(LeaseLostException.class)
        .hasMessage("%s '%s': lease was released (token %d)", noun(), NAME, lease.token());
  }

  @Test
  default void renewalKeepsALeaseAlive() {
    Sluice a = client();
    Lease lease = take(a, STEADY);
    Sluice other = client();
    for (int i = 0; i < 10; i++) {
      store().pass(STEADY.ttl().dividedBy(8));
      lease.checkHeld();
      assertThat(lock(other, LONG).tryAcquire()).isEmpty();
    }
    assertThat(lease.release()).isTrue();
  }

  /** A peer started a timer with each cycle, and sent 120,301 renewals where 6 were due. */
  @Test
  default void renewalsDoNotGrowWithTheCyclesBefore() {
    FlakyBackend line = line();
    Sluice a = client(line);
    for (int i = 0; i < store().many(); i++) {
      take(a, STEADY).close();
    }
    int before = line.calls(RENEW);
    Duration held = STEADY.ttl().plus(SHORT_TTL);
    long start = System.nanoTime();
    Lease lease = take(a, STEADY);
    store().pass(held);
    lease.checkHeld();
    long real = System.nanoTime() - start;

    long longest = Math.max(real, held.toNanos());
    long due = longest / (STEADY.ttl().toNanos() / 3) + 1;
    assertThat(line.calls(RENEW) - before).isBetween(2, Math.toIntExact(due));
  }

  @Test
  default void renewalStopsWithTheRelease() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, STEADY);
    within("a renewal", STEADY.ttl(), () -> line.calls(RENEW) > 0);
    lease.close();
    int before = line.calls(RENEW);
    store().pass(STEADY.ttl().dividedBy(2)); // past the next one

    assertThat(line.calls(RENEW)).isEqualTo(before);
    assertNothingLeft();
  }

  @Test
  default void renewalStopsAtTheLongestHold() {
    Sluice a = client();
    Duration half = STEADY.ttl().dividedBy(2); // renewed once, and not a second time
    Lease lease = take(a, STEADY.maxHold(half));
    Sluice other = client();
    CompletableFuture<Lease> waiting = queue(other, LONG);
    store().pass(half);
    lease.checkHeld();

    granted(waiting, STEADY.ttl());
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  default void renewalStopsWhenTheOwningThreadDied() throws Exception {
    Sluice a = client();
    Running<Lease> owner = start(() -> take(a, RENEWING.threadBound()));
    Lease lease = owner.result();
    owner.thread().join();

    granted(queue(client(), LONG), SHORT_TTL.multipliedBy(2));
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  default void renewalGoesOnWhileTheOwningThreadLives() throws Exception {
    Sluice a = client();
    CountDownLatch done = new CountDownLatch(1);
    AtomicReference<Lease> taken = new AtomicReference<>();
    Running<Boolean> owner =
        start(
            () -> {
              Lease lease = lock(a, STEADY.threadBound()).acquire(AGES);
              taken.set(lease);
              done.await();
              return lease.release();
            });
    until("the lock is taken", () -> taken.get() != null);
    store().pass(STEADY.ttl().plus(SHORT_TTL));
    done.countDown();
    assertThat(owner.result()).isTrue();
  }

  @Test
  default void fixedLeaseIsHonouredAndNotRenewed() {
    FlakyBackend line = line();
    Sluice a = client(line);
    long start = store().nanos();
    Lease lease = take(a, FIXED);
    Duration left = lease.remaining();
    assertThat(left).isLessThanOrEqualTo(SHORT_TTL);
    if (store().nanos() - start < SHORT_TTL.dividedBy(2).toNanos()) { // else it may have ended
      assertThat(left).isPositive();
    }
    store().pass(SHORT_TTL);

    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(line.calls(RENEW)).isZero();
    take(client(), LONG);
  }

  @Test
  default void explicitRenewalLengthensAFixedLease() {
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(3));
    Sluice a = client();
    Lease lease = take(a, fixed);
    boolean isRenewed = lease.renew(Duration.ofSeconds(20));
    for (int tries = 1;
        tries < 3 && !isRenewed;
        tries++) { // it ended while the machine stood still
      lease = granted(queue(a, fixed), fixed.ttl().plus(POLL));
      isRenewed = lease.renew(Duration.ofSeconds(20));
    }
    assertThat(isRenewed).isTrue();
    store().pass(fixed.ttl().plus(SHORT_TTL));

    lease.checkHeld();
    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(5));
    assertThat(lease.release()).isTrue();
  }

  @Test
  default void renewalWithoutAnAnswerIsUnknownAndKeepsTheOldDeadline() {
    FlakyBackend line = line();
    Lease lease = take(client(line), LockOptions.fixed(Duration.ofSeconds(20)));
    line.set(RENEW, LOSES_REQUEST);

    assertThatThrownBy(() -> lease.renew(Duration.ofSeconds(30)))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining(NAME);
    lease.checkHeld();
    assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  default void taskIsToldThatItsLeaseWasLostMidway() {
    Sluice a = client();
    assertThatThrownBy(
            () -> lock(a, FIXED).run(AGES, () -> store().pass(SHORT_TTL.multipliedBy(2))))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageStartingWith(noun() + " '" + NAME + "' lost: ");
    assertThatThrownBy(
            () ->
                lock(a, FIXED)
                    .call(
                        AGES,
                        () -> {
                          store().pass(SHORT_TTL.multipliedBy(2));
                          throw new java.io.IOException("the task's own failure comes first");
                        }))
        .isInstanceOf(java.io.IOException.class);
    assertNothingLeft();
  }

  @Test
  default void taskRunsUnderTheLockAndFreesItAfterwards() throws Exception {
    Sluice a = client();
    Sluice other = client();
    String answer =
        lock(a, LONG)
            .call(
                AGES,
                () -> {
                  assertThat(lock(other, LONG).tryAcquire()).isEmpty();
                  return "done";
                });
    assertThat(answer).isEqualTo("done");
    assertThatThrownBy(
            () ->
                lock(a, LONG)
                    .run(
                        AGES,
                        () -> {
                          throw new IllegalArgumentException("task failed");
                        }))
        .hasMessage("task failed");
    assertNothingLeft();
  }
}
