package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.NONE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/**
 * Tests of promise L3: release and renewal affect their own grant, or nothing.
 *
 * @since 0.1
 */
public interface OwnGrant extends LockContract {

  @Test
  default void l3_lateReleaseDoesNotFreeTheNextHolder() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Sluice other = client();
    line.set(RELEASE, HOLDS_REQUEST);
    take(a, FIXED);
    store().pass(SHORT_TTL.multipliedBy(2));
    within(
        "the lease is lost and its release is on its way", SHORT_TTL, () -> line.heldCalls() > 0);

    Lease next = take(other, LONG);
    line.takeHeld().deliver();

    assertThat(holds(other)).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
  }

  /** If only clients were compared, a late release of attempt 1 would release attempt 2. */
  @Test
  default void l3_lateReleaseDoesNotFreeTheNextLeaseOfTheSameProcess() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease first = take(a, LONG);
    line.set(RELEASE, HOLDS_REQUEST);
    first.releaseAsync();
    until("the release is on its way", () -> line.heldCalls() == 1);

    line.set(RELEASE, NONE);
    Lease second = take(a, LONG);
    line.takeHeld().deliver();

    assertThat(holds(a)).isTrue();
    assertThat(second.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
  }

  @Test
  default void l3_secondReleaseIsNoLoss() {
    Sluice a = client();
    Lease lease = take(a, LONG);
    assertThat(lease.release()).isTrue();
    assertThat(lease.release()).isFalse();
    assertThat(ended(lease.releaseAsync())).isFalse();

    assertThat(lock(a, LONG).stats().losses()).isZero();
  }

  @Test
  default void l3_lateAcquireAfterTheReleaseTakesNothing() {
    FlakyBackend line = line();
    Sluice a = client(line);
    take(a, LONG).close();

    line.deliverAgain(line.acquires().get(0));

    assertNothingLeft();
    take(client(), LONG);
  }

  @Test
  default void l3_lateAcquireAfterTheReleaseDoesNotQueue() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    Sluice other = client();
    Lease held = take(other, LONG);
    CompletableFuture<Lease> waiting = enqueue(a, LONG);
    held.close();
    granted(waiting, Duration.ofSeconds(1)).close();
    settle();
    Lease again = take(other, LONG);

    line.deliverAgain(line.acquires().get(0));
    line.deliverAgain(line.acquires().get(line.acquires().size() - 1));

    assertThat(info().waiters()).isEmpty();
    assertThat(holds(other)).isTrue();
    again.close();
    assertNothingLeft();
  }

  @Test
  default void l3_unlockAfterTheLossReportsItAndHarmsNobody() {
    Lease late = take(client(), FIXED);
    store().pass(SHORT_TTL.multipliedBy(2));
    Sluice other = client();
    Lease next = take(other, LONG);

    assertThat(late.release()).isFalse();
    assertThat(late.state()).isEqualTo(LeaseState.LOST);
    late.close();
    assertThat(holds(other)).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  default void l3_releaseIsTrueForOneCallerOnly() throws Exception {
    Sluice a = client();
    for (int round = 0; round < 20; round++) {
      Lease lease = take(a, LONG);
      CyclicBarrier together = new CyclicBarrier(4);
      List<Running<Boolean>> releases = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        releases.add(
            start(
                () -> {
                  together.await();
                  return lease.release();
                }));
      }
      int freed = 0;
      for (Running<Boolean> each : releases) {
        freed += each.result() ? 1 : 0;
      }
      assertThat(freed).isEqualTo(1);
      assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    }
  }

  @Test
  default void l3_renewalDoesNotBringBackWhatIsGone() {
    Sluice a = client();
    Lease lease = take(a, LONG);
    store().loseData();

    assertThat(lease.renew(Duration.ofSeconds(30))).isFalse();
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    Sluice other = client(); // founds a quorum again that has lost everything
    assertThat(info(other, NAME).holder()).isEmpty();
    take(other, LONG);
  }

  @Test
  default void l3_lateRenewalDoesNotTouchTheNextHolder() {
    FlakyBackend line = line();
    Sluice a = client(line);
    take(a, STEADY);
    line.set(RENEW, HOLDS_REQUEST).set(RELEASE, LOSES_REQUEST);
    within("a renewal is on its way", STEADY.ttl(), () -> line.heldCalls() > 0);
    store().pass(STEADY.ttl());
    Sluice other = client();
    assertNothingLeft(); // who looks is connected before the time runs
    Lease next = take(other, LockOptions.fixed(STEADY.ttl()));
    LockInfo before = info();

    line.takeHeld().deliver();

    assertThat(holds(other)).isTrue();
    assertThat(info().holder().orElseThrow().token()).isEqualTo(next.token());
    assertThat(info().holder().orElseThrow().remaining())
        .isLessThanOrEqualTo(before.holder().orElseThrow().remaining());
  }

  @Test
  default void l3_refusedTryDoesNotLengthenTheHoldersLease() {
    Sluice other = client();
    assertNothingLeft(); // who looks is connected before the time runs
    Duration ttl = SHORT_TTL.multipliedBy(8); // five tries of a slow machine fit into it
    take(client(), LockOptions.fixed(ttl));
    store().pass(SHORT_TTL.dividedBy(3));
    LockInfo before = info();
    for (int i = 0; i < 5; i++) {
      assertThat(lock(other, LONG).tryAcquire()).isEmpty();
    }

    assertThat(info().holder().orElseThrow().remaining())
        .isLessThanOrEqualTo(before.holder().orElseThrow().remaining());
    store().pass(ttl);
    assertThat(lock(other, LONG).tryAcquire()).isPresent();
  }

  @Test
  default void l3_renewNeverShortens() {
    Lease lease = take(client(), LockOptions.fixed(Duration.ofSeconds(30)));
    assertThat(lease.renew(Duration.ofMillis(100))).isTrue();

    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(5));
    Optional<LockInfo.Holder> holder = info().holder();
    assertThat(holder.orElseThrow().remaining()).isGreaterThan(Duration.ofSeconds(5));
  }

  @Test
  default void l3_leaseMayBeReleasedByAnotherThread() throws Exception {
    Sluice a = client();
    Lease lease = take(a, LONG);
    assertThat(start(lease::release).result()).isTrue();
    assertNothingLeft();
    take(client(), LONG);
  }
}
