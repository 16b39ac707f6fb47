package dev.sluice.testkit;

import static dev.sluice.testkit.FlakyBackend.Line.GOOD;
import static dev.sluice.testkit.FlakyBackend.Line.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Line.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.GuardStats;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.LockProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Promises L1 (exclusion), L2 (fencing) and L3 (own grant only). */
public abstract class LockSafetyContract extends LockFixture {

  /** For subclasses. */
  protected LockSafetyContract() {}

  @Test
  void l1_oneHolderAtATime() {
    Sluice a = client();
    Sluice b = client();

    Lease lease = take(a, LONG);
    assertThat(lock(b, LONG).tryAcquire()).isEmpty();
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    assertThat(lease.release()).isTrue();

    Lease next = take(b, LONG);
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    assertThat(next.token()).isGreaterThan(lease.token());
  }

  @Test
  void l1_twoTasksOfOneEventLoopExcludeEachOther() throws Exception {
    Sluice a = client();
    ExecutorService loop = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<Lease> first =
          CompletableFuture.supplyAsync(() -> take(a, LONG), loop)
              .thenApplyAsync(lease -> lease, loop);
      Lease lease = first.get(20, TimeUnit.SECONDS);
      CompletableFuture<Lease> second =
          CompletableFuture.supplyAsync(() -> queue(a, LONG), loop).get(20, TimeUnit.SECONDS);

      assertThat(lock(a, LONG).tryAcquire()).isEmpty();
      assertThat(second).isNotDone();
      loop.submit(lease::release).get(20, TimeUnit.SECONDS);
      assertThat(granted(second).token()).isGreaterThan(lease.token());
    } finally {
      loop.shutdownNow();
    }
  }

  @Test
  void l1_twoLocksDoNotDisturbEachOther() {
    Sluice a = client();
    Sluice b = client();

    Lease one = take(a, LONG);
    Lease other = lock(b, NAME + "!", LONG).tryAcquire().orElseThrow();
    assertThat(other.release()).isTrue();
    assertThat(lock(b, LONG).tryAcquire()).isEmpty();
    assertThat(one.renew(Duration.ofSeconds(30))).isTrue();
  }

  /** 2 processes x 4 threads count under the lock; each increment is checked at a guard as well. */
  @Test
  void l1_l2_noUpdateIsLostAndTokensGrowInGrantOrder() throws Exception {
    int rounds = 150;
    long[] counter = new long[1]; // plain on purpose: the lock alone orders the accesses
    long[] highest = new long[1];
    MemoryGuard guard = Guard.inMemory();
    List<Running<Integer>> running = new ArrayList<>();
    CyclicBarrier together = new CyclicBarrier(8);
    for (int process = 0; process < 2; process++) {
      Sluice client = client();
      for (int thread = 0; thread < 4; thread++) {
        running.add(
            start(
                () -> {
                  together.await();
                  for (int i = 0; i < rounds; i++) {
                    try (Lease lease = lock(client, LONG).acquire(AGES)) {
                      guard.advance(lease);
                      assertThat(lease.token()).isGreaterThan(highest[0]);
                      highest[0] = lease.token();
                      counter[0]++;
                    }
                  }
                  return rounds;
                }));
      }
    }
    int grants = 0;
    for (Running<Integer> each : running) {
      grants += each.result();
    }
    assertThat(grants).isEqualTo(8 * rounds);
    assertThat(counter[0]).isEqualTo(8L * rounds);
    assertThat(guard.stats()).isEqualTo(new GuardStats(8L * rounds, 0));
  }

  @Test
  void l2_tokenGrowsWithEachGrantOfAClientAndOfItsSuccessor() {
    long last = 0;
    for (int restart = 0; restart < 3; restart++) {
      Sluice client = client();
      for (int i = 0; i < 3; i++) {
        Lease lease = take(client, LONG);
        assertThat(lease.token()).isGreaterThan(last).isLessThan(1L << 53);
        last = lease.token();
        lease.close();
      }
      client.close();
    }
  }

  @Test
  void l2_tokenGrowsAcrossALossOfTheStoresData() {
    Lease before = take(client(), FIXED);
    store().loseData();
    store().pass(Duration.ofMillis(LockProtocol.MAX_LEAD_MICROS / 1000 + 1));

    Lease after = take(client(), LONG);
    assertThat(after.token()).isGreaterThan(before.token());
  }

  @Test
  void l2_tokenGrowsAcrossALossOfDataAfterManyGrantsInOneBurst() throws Exception {
    Sluice a = client();
    long last = 0;
    for (int i = 0; i < 500; i++) { // hand-over within the process uses tokens of a block
      CompletableFuture<Lease> first = queue(a, LONG);
      CompletableFuture<Lease> second = queue(a, LONG);
      granted(first).close();
      Lease lease = granted(second);
      last = lease.token();
      lease.close();
    }
    store().loseData();
    store().pass(Duration.ofMillis(LockProtocol.MAX_LEAD_MICROS / 1000 + 1));

    assertThat(take(client(), LONG).token()).isGreaterThan(last);
    assertThat(info().lastToken()).isGreaterThan(last);
  }

  @Test
  void l2_guardRefusesAHolderThatOverslept() {
    MemoryGuard guard = Guard.inMemory();
    Lease sleeper = take(client(), FIXED);
    guard.advance(sleeper);
    store().pass(SHORT_TTL.multipliedBy(2));
    Lease next = take(client(), LONG);
    guard.advance(next);

    assertThatThrownBy(() -> guard.advance(sleeper))
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            refusal -> assertThat(refusal.highest()).isEqualTo(FencingToken.of(next)));
    assertThat(sleeper.attempt()).isNotEqualTo(next.attempt());
    guard.check(next);
  }

  @Test
  void l3_lateReleaseDoesNotFreeTheNextHolder() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Sluice b = client();
    take(a, FIXED);
    line.set(RELEASE, HOLDS_REQUEST);
    store().pass(SHORT_TTL.multipliedBy(2));
    within(
        "the lease is lost and its release is on its way", SHORT_TTL, () -> line.heldCalls() > 0);

    Lease next = take(b, LONG);
    line.takeHeld().deliver();

    assertThat(holds(b)).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
  }

  /** With the client alone compared, a late release of attempt 1 would free attempt 2. */
  @Test
  void l3_lateReleaseDoesNotFreeTheNextLeaseOfTheSameProcess() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease first = take(a, LONG);
    line.set(RELEASE, HOLDS_REQUEST);
    first.releaseAsync();
    until("the release is on its way", () -> line.heldCalls() == 1);

    line.set(RELEASE, GOOD);
    Lease second = take(a, LONG);
    line.takeHeld().deliver();

    assertThat(holds(a)).isTrue();
    assertThat(second.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
  }

  @Test
  void l3_lateAcquireAfterTheReleaseTakesNothing() {
    FlakyBackend line = line();
    Sluice a = client(line);
    take(a, LONG).close();

    line.deliverAgain(line.acquires().get(0));

    assertNothingLeft();
    take(client(), LONG);
  }

  @Test
  void l3_lateAcquireAfterTheReleaseDoesNotQueue() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    Sluice b = client();
    Lease held = take(b, LONG);
    CompletableFuture<Lease> waiting = enqueue(a, LONG);
    held.close();
    granted(waiting, Duration.ofSeconds(1)).close();
    settle();
    Lease again = take(b, LONG);

    line.deliverAgain(line.acquires().get(0));
    line.deliverAgain(line.acquires().get(line.acquires().size() - 1));

    assertThat(info().waiters()).isEmpty();
    assertThat(holds(b)).isTrue();
    again.close();
    assertNothingLeft();
  }

  @Test
  void l3_unlockAfterTheLossReportsItAndHarmsNobody() {
    Lease late = take(client(), FIXED);
    store().pass(SHORT_TTL.multipliedBy(2));
    Sluice b = client();
    Lease next = take(b, LONG);

    assertThat(late.release()).isFalse();
    assertThat(late.state()).isEqualTo(LeaseState.LOST);
    late.close();
    assertThat(holds(b)).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void l3_releaseIsTrueForOneCallerOnly() throws Exception {
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
  void l3_renewalDoesNotBringBackWhatIsGone() {
    Sluice a = client();
    Lease lease = take(a, LONG);
    store().loseData();

    assertThat(lease.renew(Duration.ofSeconds(30))).isFalse();
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    Sluice b = client(); // founds a quorum anew that has lost everything
    assertThat(info(b, NAME).holder()).isEmpty();
    take(b, LONG);
  }

  @Test
  void l3_lateRenewalDoesNotTouchTheNextHolder() {
    FlakyBackend line = line();
    Sluice a = client(line);
    take(a, STEADY);
    line.set(RENEW, HOLDS_REQUEST).set(RELEASE, LOSES_REQUEST);
    within("a renewal is on its way", STEADY.ttl(), () -> line.heldCalls() > 0);
    store().pass(STEADY.ttl());
    Sluice b = client();
    assertNothingLeft(); // who looks is connected before the time runs
    Lease next = take(b, LockOptions.fixed(STEADY.ttl()));
    LockInfo before = info();

    line.takeHeld().deliver();

    assertThat(holds(b)).isTrue();
    assertThat(info().holder().orElseThrow().token()).isEqualTo(next.token());
    assertThat(info().holder().orElseThrow().remaining())
        .isLessThanOrEqualTo(before.holder().orElseThrow().remaining());
  }

  @Test
  void l3_refusedTryDoesNotLengthenTheHoldersLease() {
    Sluice b = client();
    assertNothingLeft(); // who looks is connected before the time runs
    Duration ttl = SHORT_TTL.multipliedBy(4); // five tries of a slow machine fit into it
    take(client(), LockOptions.fixed(ttl));
    store().pass(SHORT_TTL.dividedBy(3));
    LockInfo before = info();
    for (int i = 0; i < 5; i++) {
      assertThat(lock(b, LONG).tryAcquire()).isEmpty();
    }

    assertThat(info().holder().orElseThrow().remaining())
        .isLessThanOrEqualTo(before.holder().orElseThrow().remaining());
    store().pass(ttl);
    assertThat(lock(b, LONG).tryAcquire()).isPresent();
  }

  @Test
  void l3_renewNeverShortens() {
    Lease lease = take(client(), LockOptions.fixed(Duration.ofSeconds(30)));
    assertThat(lease.renew(Duration.ofMillis(100))).isTrue();

    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(5));
    Optional<LockInfo.Holder> holder = info().holder();
    assertThat(holder.orElseThrow().remaining()).isGreaterThan(Duration.ofSeconds(5));
  }

  @Test
  void l3_leaseMayBeReleasedByAnotherThread() throws Exception {
    Sluice a = client();
    Lease lease = take(a, LONG);
    assertThat(start(lease::release).result()).isTrue();
    assertNothingLeft();
    take(client(), LONG);
  }
}
