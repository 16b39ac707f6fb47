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
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Tests of semaphores on every backend.
 *
 * @since 0.1
 */
public interface Semaphores extends PermitContract {

  @Test
  default void l1_neverMorePermitsThanThereAre() {
    DistributedSemaphore a = semaphore(client(), 3, LONG);
    DistributedSemaphore other = semaphore(client(), 3, LONG);

    Lease two = take(a, 2);
    Lease one = take(other, 1);
    assertThat(a.tryAcquire()).isEmpty();
    assertThat(other.tryAcquire()).isEmpty();
    assertThat(info().available()).isZero();
    assertThat(one.release()).isTrue();
    assertThat(a.tryAcquire(2)).isEmpty();
    take(a, 1);
    assertThat(two.release()).isTrue();
    assertThat(other.tryAcquire(3)).isEmpty();
    take(other, 2);
  }

  /** Tests 3 processes x 4 threads with three permits, and counts the threads that have one. */
  @Test
  default void l1_l2_neverMoreHoldersThanPermitsAndNoTokenTwice() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Set<Long> tokens = ConcurrentHashMap.newKeySet();
    List<Running<Integer>> running = new ArrayList<>();
    CyclicBarrier together = new CyclicBarrier(12);
    for (int process = 0; process < 3; process++) {
      Sluice client = client();
      for (int thread = 0; thread < 4; thread++) {
        running.add(
            start(
                () -> {
                  together.await();
                  int rounds = 60;
                  for (int i = 0; i < rounds; i++) {
                    int permits = 1 + i % 2;
                    Lease lease = semaphore(client, 3, LONG).acquire(permits, AGES);
                    int now = inside.addAndGet(permits);
                    most.accumulateAndGet(now, Math::max);
                    assertThat(tokens.add(lease.token())).as("token is new").isTrue();
                    Thread.yield();
                    inside.addAndGet(-permits);
                    assertThat(lease.release()).isTrue();
                  }
                  return rounds;
                }));
      }
    }
    int grants = 0;
    for (Running<Integer> each : running) {
      grants += each.result();
    }
    assertThat(grants).isEqualTo(12 * 60);
    assertThat(most.get()).isBetween(1, 3);
    until("all permits are back", () -> info().holders().isEmpty());
  }

  @Test
  default void l2_tokensGrowWithinAProcessAndAcrossProcesses() {
    DistributedSemaphore a = semaphore(client(), 4, LONG);
    DistributedSemaphore other = semaphore(client(), 4, LONG);
    long last = 0;
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Lease lease = take(i % 3 == 2 ? other : a, 1);
      assertThat(lease.token()).isGreaterThan(last).isLessThan(1L << 53);
      last = lease.token();
      held.add(lease);
      if (held.size() == 4) {
        held.remove(i % 2).close();
        held.remove(0).close();
      }
    }
  }

  @Test
  default void l2_tokenGrowsAcrossALossOfTheStoresData() {
    Lease before = take(semaphore(client(), 2, FIXED), 1);
    store().loseData();
    store().pass(Duration.ofMillis(LockProtocol.MAX_LEAD_MICROS / 1000 + 1));

    assertThat(take(semaphore(client(), 2, LONG), 1).token()).isGreaterThan(before.token());
  }

  @Test
  default void l3_releasingTwiceReturnsNothingTwice() {
    DistributedSemaphore a = semaphore(client(), 2, LONG);
    Lease first = take(a, 1);
    take(a, 1);
    assertThat(first.release()).isTrue();
    assertThat(first.release()).isFalse();
    first.close();

    assertThat(info().available()).isEqualTo(1);
    take(semaphore(client(), 2, LONG), 1);
    assertThat(semaphore(client(), 2, LONG).tryAcquire()).isEmpty();
  }

  @Test
  default void l3_lateAndRepeatedReleaseTouchesNoOtherLease() {
    FlakyBackend line = line();
    Sluice client = client(line);
    DistributedSemaphore a = semaphore(client, 3, LONG);
    Lease early = take(a, 1);
    Lease late = take(a, 1);
    line.set(RELEASE, HOLDS_REQUEST);
    late.releaseAsync();
    until("the release is on its way", () -> line.heldCalls() == 1);
    line.set(RELEASE, NONE);
    Lease next = take(a, 1);

    FlakyBackend.Held release = line.takeHeld();
    release.deliver();
    release.deliver();

    until("the release was carried out", () -> held(client) <= 2);
    assertThat(held(client)).isEqualTo(2);
    assertThat(early.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(next.renew(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  default void l3_lateAcquireAfterTheReleaseTakesNothing() {
    FlakyBackend line = line();
    take(semaphore(client(line), 2, LONG), 1).close();

    line.deliverAgain(line.acquires().get(0));
    assertNothingLeft();
  }

  @Test
  default void l3_repeatedRequestCountsOnce() {
    FlakyBackend line = line();
    Sluice client = client(line);
    line.next(ACQUIRE, REPEATS_REQUEST);
    Lease lease = take(semaphore(client, 3, LONG), 2);
    line.deliverAgain(line.acquires().get(0));

    assertThat(held(client)).isEqualTo(2);
    assertThat(lease.release()).isTrue();
    assertNothingLeft();
  }

  @Test
  default void l7_permitsThatComeAfterTheirLeaseEndedAreAnErrorAndAreGivenBack() {
    FlakyBackend line = line().set(ACQUIRE, HOLDS_REPLY);
    Sluice client = client(line);
    CompletableFuture<Optional<Lease>> asked =
        semaphore(client, 3, FIXED).async().tryAcquire(2).toCompletableFuture();
    until("the grant is on its way", () -> line.heldCalls() == 1);
    store().pass(SHORT_TTL);
    line.takeHeld().deliver();

    until("the caller has an answer", asked::isDone);
    assertThatThrownBy(asked::join)
        .cause()
        .isExactlyInstanceOf(BackendException.class)
        .hasMessageContaining("the grant came too late");
    until("the permits are back", () -> info().holders().isEmpty());
  }

  @Test
  default void wrongNumberFailsNobodyElseInTheQueue() {
    take(semaphore(client(), 3, LONG), 1);
    FlakyBackend line = line().set(ACQUIRE, HOLDS_REQUEST);
    Sluice a = client(line);
    CompletableFuture<Lease> wrong = queue(semaphore(a, 5, LONG), 1);
    until("it asks", () -> line.heldCalls() == 1);
    CompletableFuture<Lease> alsoWrong = queue(semaphore(a, 5, LONG), 1);
    CompletableFuture<Lease> right = queue(semaphore(a, 3, LONG), 1);
    line.set(ACQUIRE, NONE);
    line.takeHeld().deliver();

    granted(right).close();
    for (CompletableFuture<Lease> each : List.of(wrong, alsoWrong)) {
      until("it has its answer", each::isDone);
      assertThatThrownBy(each::join).cause().isInstanceOf(WrongCapacityException.class);
    }
  }

  @Test
  default void wrongNumberTakesNothingThatAnotherQueuedFor() {
    Lease all = take(semaphore(client(), 3, LONG), 3);
    Sluice a = client();
    CompletableFuture<Lease> right = queued(a, queue(semaphore(a, 3, LONG), 1));
    CompletableFuture<Lease> wrong = queue(semaphore(a, 5, LONG), 1);
    right.cancel(true);
    all.close();

    until("it has its answer", wrong::isDone);
    assertThatThrownBy(wrong::join).cause().isInstanceOf(WrongCapacityException.class);
  }

  @Test
  default void closeSendsEveryReleaseBeforeItWaits() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    take(semaphore(a, 1, LONG), 1);
    assertThat(a.lock(NAME, LONG).tryAcquire()).isPresent();
    line.set(RELEASE, HOLDS_REQUEST);
    Running<Boolean> closing =
        start(
            () -> {
              a.close();
              return true;
            });
    until("both have left", () -> line.heldCalls() == 2);
    FlakyBackend.Held first = line.takeHeld();
    line.takeHeld().deliver();
    for (int i = 0; i < 100 && !closing.future().isDone(); i++) { // it would end soon, or not yet
      LockSupport.parkNanos(500_000);
    }

    assertThat(closing.future()).as("gave up the first before the second left").isNotDone();
    first.deliver();
    assertThat(closing.result()).isTrue();
    assertNothingLeft();
  }

  @Test
  default void l5_lossIsToldToEveryLease() {
    FlakyBackend line = line();
    Sluice client = client(line);
    DistributedSemaphore a = semaphore(client, 3, STEADY);
    Lease one = take(a, 1);
    Lease two = take(a, 2);
    store().pass(STEADY.ttl().plus(SHORT_TTL)); // renewed meanwhile
    one.checkHeld();
    two.checkHeld();
    line.die();

    within(
        "both know",
        STEADY.ttl(),
        () -> one.state() == LeaseState.LOST && two.state() == LeaseState.LOST);
    assertThat(one.release()).isFalse();
    within("the permits are free", STEADY.ttl(), () -> info().holders().isEmpty());
  }

  @Test
  default void l6_deadHolderCostsItsTtl() {
    FlakyBackend line = line();
    take(semaphore(client(line), 2, STEADY), 1);
    take(semaphore(client(), 2, LONG), 1);
    Sluice other = client();
    CompletableFuture<Lease> waiting = queued(other, queue(semaphore(other, 2, LONG), 1));
    line.die();

    granted(waiting, STEADY.ttl().plus(SECOND));
  }

  @Test
  default void l6_deadWaiterCostsAHeartbeat() {
    FlakyBackend line = line();
    Lease all = take(semaphore(client(), 2, LONG), 2);
    Sluice dead = client(line);
    queued(dead, queue(semaphore(dead, 2, LONG), 2));
    Sluice other = client();
    CompletableFuture<Lease> waiting = queued(other, queue(semaphore(other, 2, LONG), 1));
    line.die();
    all.close();

    granted(waiting, Duration.ofNanos(LockProtocol.HEARTBEAT_MICROS * 1000).plus(SECOND));
  }

  @Test
  default void l6_waiterThatDiedBeforeTheReleaseCostsNothing() {
    FlakyBackend line = line();
    Lease all = take(semaphore(client(), 2, LONG), 2);
    Sluice dead = client(line);
    queued(dead, queue(semaphore(dead, 2, LONG), 2));
    line.die();
    Sluice other = client();
    CompletableFuture<Lease> waiting = queued(other, queue(semaphore(other, 2, LONG), 1));
    store().pass(Duration.ofNanos(2 * LockProtocol.HEARTBEAT_MICROS * 1000));
    all.close();

    granted(waiting);
  }

  @Test
  default void l6_lostMessageCostsASecond() {
    FlakyBackend line = line().losesMessages(true);
    Lease all = take(semaphore(client(), 1, LONG), 1);
    Sluice other = client(line);
    CompletableFuture<Lease> waiting = queued(other, queue(semaphore(other, 1, LONG), 1));
    all.close();

    granted(waiting, SECOND);
  }

  @Test
  default void l6_oneReleaseServesAsManyAsFitByMessage() {
    Lease all = take(semaphore(client(), 3, LONG), 3);
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int permits : new int[] {1, 2, 1}) {
      Sluice client = client();
      waiting.add(queued(client, queue(semaphore(client, 3, LONG), permits)));
    }
    all.close();

    granted(waiting.get(0));
    granted(waiting.get(1));
    assertThat(waiting.get(2)).isNotDone();
    assertThat(info().available()).isZero();
  }

  @Test
  default void l7_lostReplyIsAnExceptionAndTheGrantIsUndone() {
    FlakyBackend line = line();
    DistributedSemaphore a = semaphore(client(line), 2, LONG);
    Lease held = take(a, 1);
    line.next(ACQUIRE, LOSES_REPLY);

    assertThatThrownBy(a::tryAcquire)
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageStartingWith("semaphore '" + NAME + "': ");
    within("the grant is undone", SECOND, () -> info().available() == 1);
    held.checkHeld();
    assertThat(held.renew(Duration.ofSeconds(30))).isTrue();
  }

  /** Tests two permits of one grant. One return fails, and must reach the store later. */
  @Test
  default void l7_lostReturnOfAPartIsRepeated() {
    FlakyBackend line = line();
    Sluice client = client(line);
    DistributedSemaphore a = semaphore(client, 3, LONG);
    List<Lease> leases = oneGrantOfThree(line, client, a);
    line.set(RELEASE, LOSES_REQUEST);

    assertThat(leases.get(0).release()).isTrue();
    assertThat(held(client)).isEqualTo(3);
    line.next(RELEASE, LOSES_REPLY).set(RELEASE, NONE);
    within("the permit is back", SECOND, () -> held(client) == 2);
    within("all is confirmed", SECOND, () -> line.calls(RELEASE) >= 3);
    leases.get(1).checkHeld();
    leases.get(2).close();
    leases.get(1).close();
    assertNothingLeft();
  }

  @Test
  default void l7_returnOfAPartThatIsOvertakenByTheRestIsNoLoss() {
    FlakyBackend line = line();
    Sluice client = client(line);
    DistributedSemaphore a = semaphore(client, 3, LONG);
    List<Lease> leases = oneGrantOfThree(line, client, a);
    line.next(RELEASE, HOLDS_REQUEST);
    CompletableFuture<Boolean> part = leases.get(0).releaseAsync().toCompletableFuture();
    until("the part is on its way", () -> line.heldCalls() == 1);

    assertThat(leases.get(1).release()).isTrue();
    assertThat(leases.get(2).release()).isTrue();
    line.takeHeld().deliver();
    until("it was answered", part::isDone);
    assertThat(part.join()).isTrue();
    assertThat(a.stats().losses()).isZero();
    assertNothingLeft();
  }

  /** Several local waiters get their units by one request. */
  private List<Lease> oneGrantOfThree(
      FlakyBackend line, Sluice client, DistributedSemaphore semaphore) {
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    if (store().growsTickets()) {
      Lease all = take(semaphore(client(), 3, LONG), 3);
      for (int i = 0; i < 3; i++) {
        waiting.add(queue(semaphore, 1));
      }
      until("it has a ticket", this::hasTicket);
      int before = line.calls(ACQUIRE);
      within("a poll asks for all in line", SECOND, () -> line.calls(ACQUIRE) > before);
      client.inspect().permits(NAME); // over the same line: the poll was heard
      all.close();
    } else {
      line.next(ACQUIRE, LOSES_REQUEST); // the repetition asks for all in line
      for (int i = 0; i < 3; i++) {
        waiting.add(queue(semaphore, 1));
      }
    }
    List<Lease> leases = new ArrayList<>();
    for (CompletableFuture<Lease> each : waiting) {
      leases.add(granted(each, SECOND));
    }
    until("there is one grant", () -> info().holders().size() == 1);
    return leases;
  }

  private boolean hasTicket() {
    return !info().waiters().isEmpty();
  }

  @Test
  default void l8_closeGivesEverythingBack() {
    Sluice client = client();
    DistributedSemaphore a = semaphore(client, 3, LONG);
    take(a, 1);
    take(a, 2);
    CompletableFuture<Lease> waiting = queue(a, 1);
    client.close();

    assertThatThrownBy(waiting::join).hasCauseInstanceOf(IllegalStateException.class);
    assertNothingLeft();
  }

  @Test
  default void largeRequestIsNotPassedBySmallOnes() {
    Lease two = take(semaphore(client(), 3, LONG), 2);
    Sluice other = client();
    CompletableFuture<Lease> large = queued(other, queue(semaphore(other, 3, LONG), 3));
    Sluice third = client();
    CompletableFuture<Lease> small = queued(third, queue(semaphore(third, 3, LONG), 1));

    assertThat(info().available()).isEqualTo(1);
    assertThat(semaphore(client(), 3, LONG).tryAcquire()).isEmpty();
    store().pass(SECOND);
    assertThat(small).isNotDone();
    two.close();
    Lease all = granted(large, SECOND);
    assertThat(small).isNotDone();
    all.close();
    granted(small, SECOND);
  }

  @Test
  default void localWaitersKeepTheirOrderToo() {
    Sluice client = client();
    DistributedSemaphore a = semaphore(client, 3, LONG);
    Lease two = take(a, 2);
    CompletableFuture<Lease> large = queue(a, 3);
    CompletableFuture<Lease> small = queue(a, 1);

    assertThat(a.tryAcquire()).isEmpty();
    assertThat(small).isNotDone();
    two.close();
    Lease all = granted(large, SECOND);
    assertThat(small).isNotDone();
    all.close();
    granted(small, SECOND).close();
    until("nothing is left", () -> info().holders().isEmpty());
  }

  @Test
  default void interruptedWaiterTakesNoPermit() {
    Lease held = take(semaphore(client(), 1, LONG), 1);
    Sluice other = client();
    Running<Lease> waiting = start(() -> semaphore(other, 1, LONG).acquire(AGES));
    until("it waits", () -> !info().waiters().isEmpty());
    waiting.thread().interrupt();

    assertThatThrownBy(waiting::result)
        .cause()
        .isInstanceOf(InterruptedException.class)
        .hasMessageStartingWith("interrupted while waiting for ");
    until("the ticket is taken back", () -> info().waiters().isEmpty());
    held.checkHeld();
  }

  @Test
  default void otherNumberOfPermitsIsTold() {
    Sluice client = client();
    Lease lease = take(semaphore(client, 3, LONG), 1);

    for (Sluice other : List.of(client(), client)) {
      assertThatThrownBy(() -> semaphore(other, 5, LONG).tryAcquire())
          .isInstanceOfSatisfying(
              WrongCapacityException.class, failure -> assertThat(failure.settled()).isEqualTo(3))
          .hasMessage(
              "'%s' is a semaphore of 3 permits, not a semaphore of 5 permits; use that number, or"
                  + " call resize",
              NAME);
    }
    assertThatThrownBy(() -> client().readWriteLock(NAME).readLock().tryAcquire())
        .hasMessage(
            "'%s' is a semaphore of 3 permits, not a read-write lock; use another name", NAME);
    lease.checkHeld();
    assertThat(info().available()).isEqualTo(2);
    assertThat(info().waiters()).isEmpty();
  }

  @Test
  default void morePermitsServeWhoWaits() {
    DistributedSemaphore a = semaphore(client(), 1, LONG);
    Lease lease = take(a, 1);
    Sluice other = client();
    CompletableFuture<Lease> old = queued(other, queue(semaphore(other, 1, LONG), 1));

    DistributedSemaphore larger = a.resize(2);

    assertThat(larger.permits()).isEqualTo(2);
    granted(old);
    assertThat(info().capacity()).isEqualTo(2);
    assertThat(larger.tryAcquire()).isEmpty();
    lease.close();
    take(larger, 1);
    assertThatThrownBy(() -> semaphore(client(), 1, LONG).tryAcquire())
        .isInstanceOf(WrongCapacityException.class);
  }

  @Test
  default void fewerPermitsWaitUntilEnoughCameBack() {
    DistributedSemaphore a = semaphore(client(), 3, LONG);
    Lease one = take(a, 1);
    Lease two = take(a, 2);
    DistributedSemaphore smaller = a.resize(2);

    one.checkHeld();
    assertThat(info().available()).isZero();
    one.close();
    assertThat(smaller.tryAcquire()).isEmpty();
    assertThat(two.renew(Duration.ofSeconds(30))).isTrue();
    two.close();
    take(smaller, 2);
  }

  @Test
  default void uncontendedPermitCostsOneRequestEachWay() {
    FlakyBackend line = line();
    DistributedSemaphore a = semaphore(client(line), 2, LONG);
    for (int i = 0; i < 10; i++) {
      take(a, 1).close();
    }
    assertThat(line.calls(ACQUIRE)).isEqualTo(10);
    assertThat(line.calls(RELEASE)).isEqualTo(10);
    assertThat(line.messages()).isEmpty();
  }

  @Test
  default void handOverWithinAProcessCostsNothing() {
    FlakyBackend line = line();
    DistributedSemaphore a = semaphore(client(line), 2, LONG);
    List<Lease> held = new ArrayList<>(List.of(take(a, 1), take(a, 1)));
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiting.add(queue(a, 1));
    }
    int before = line.calls();
    for (CompletableFuture<Lease> each : waiting) {
      held.remove(0).close();
      held.add(granted(each));
    }
    assertThat(line.calls() - before).as("requests for 200 turns").isLessThanOrEqualTo(8);
    held.forEach(Lease::close);
    assertThat(info().available()).isEqualTo(2);
  }

  @Test
  default void refusalThatIsKnownHereCostsNothing() {
    FlakyBackend line = line();
    DistributedSemaphore a = semaphore(client(line), 2, LONG);
    take(a, 2);
    int before = line.calls();

    assertThat(a.tryAcquire()).isEmpty();
    assertThat(line.calls()).isEqualTo(before);
  }

  @Test
  default void processWithALineOfItsOwnLetsOthersHaveTheirTurn() {
    LockOptions polite = LONG.handOff(4, Duration.ofSeconds(10));
    Sluice client = client();
    DistributedSemaphore a = semaphore(client, 1, polite);
    Lease held = take(a, 1);
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      waiting.add(queue(a, 1));
    }
    Sluice second = client();
    CompletableFuture<Lease> other = queued(second, queue(semaphore(second, 1, LONG), 1));
    int turns = 0;
    while (!other.isDone() && turns < waiting.size()) {
      held.close();
      CompletableFuture<Lease> next = waiting.get(turns);
      until("a waiter has it", () -> next.isDone() || other.isDone());
      if (next.isDone()) {
        held = next.join();
        turns++;
      }
    }
    assertThat(other).isDone();
    assertThat(turns).isLessThanOrEqualTo(8);
    other.join().close();
    granted(waiting.get(turns), SECOND);
  }

  @Test
  default void leaseThatIsRenewedByItsOwnRulesSharesNoGrant() {
    Duration ttl = SHORT_TTL.multipliedBy(4);
    LockOptions bounded = LockOptions.renewing(ttl).maxHold(SHORT_TTL.multipliedBy(2));
    Sluice client = client();
    DistributedSemaphore a = semaphore(client, 2, bounded);
    Lease first = take(a, 1);
    store().pass(SHORT_TTL.multipliedBy(2));
    Lease second = take(a, 1);
    assertThat(second.renew(LONG.ttl())).isTrue(); // so it outlives the first on any machine
    within("the first is over", ttl, () -> first.state() == LeaseState.LOST);
    until("the second goes on", () -> second.state() == LeaseState.HELD); // a renewal may be due
  }

  @Test
  default void stickyPermitsStayUntilSomebodyWantsThem() {
    LockOptions sticky = LONG.sticky(Duration.ofSeconds(20));
    FlakyBackend line = line();
    DistributedSemaphore a = semaphore(client(line), 2, sticky);
    take(a, 1).close();
    int before = line.calls();
    for (int i = 0; i < 10; i++) {
      take(a, 1).close();
    }
    assertThat(line.calls()).isEqualTo(before);

    Sluice other = client();
    granted(queue(semaphore(other, 2, LONG), 2), SECOND);
  }

  @Test
  default void aWaitThatEndsMayBeAValue() throws Exception {
    DistributedSemaphore a = semaphore(client(), 3, LONG);
    Lease two = a.tryAcquire(2, SECOND).orElseThrow();
    DistributedSemaphore b = semaphore(client(), 3, LONG);
    Running<Optional<Lease>> waiting = start(() -> b.tryAcquire(2, SECOND));
    within("the wait is over", SECOND.multipliedBy(2), waiting.future()::isDone);
    assertThat(waiting.result()).isEmpty();
    assertThat(a.tryAcquire(SECOND)).isPresent();
    assertThat(two.release()).isTrue();
  }

  @Test
  default void tasksRunUnderPermits() throws Exception {
    Sluice client = client();
    DistributedSemaphore a = semaphore(client, 3, LONG);
    a.run(SECOND, () -> assertThat(held(client)).isEqualTo(1));
    assertThat(a.call(SECOND, () -> held(client))).isEqualTo(1);
    assertNothingLeft();
    assertThat(a.stats().turns()).isEqualTo(2);

    take(semaphore(client(), 3, LONG), 3);
    assertThatThrownBy(() -> a.run(Duration.ZERO, () -> {}))
        .isInstanceOf(LockTimeoutException.class);
  }

  @Test
  default void waitThatEndsSaysWhy() {
    take(semaphore(client(), 1, LONG), 1);
    CompletableFuture<Lease> waiting =
        semaphore(client(), 1, LONG).async().acquire(SECOND).toCompletableFuture();
    within("the wait is over", SECOND.multipliedBy(2), waiting::isDone);

    assertThatThrownBy(waiting::join)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageMatching(
            "semaphore '\\Q"
                + NAME
                + "\\E': not acquired within \\d+(ms|s); "
                + "too few permits are free");
    until("the ticket is taken back", () -> !hasTicket());
  }

  @Test
  default void nonsenseIsRefusedBeforeTheStore() {
    FlakyBackend line = line();
    Sluice client = client(line);
    for (int permits : new int[] {0, -1, 1_000_001}) {
      assertThatThrownBy(() -> client.semaphore(NAME, permits))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("permits must be 1 to 1000000: %d", permits);
    }
    DistributedSemaphore a = client.semaphore(NAME, 3);
    for (int permits : new int[] {0, -1, 4}) {
      assertThatThrownBy(() -> a.tryAcquire(permits))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("permits must be 1 to the semaphore's 3: %d", permits);
    }
    assertThatThrownBy(() -> a.resize(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client.semaphore("", 3)).isInstanceOf(IllegalArgumentException.class);
    assertThat(line.calls()).isZero();
  }
}
