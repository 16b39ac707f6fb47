package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.NONE;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.MultiLease;
import dev.sluice.lock.MultiLock;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Tests of several locks as one: all or none, without a deadlock.
 *
 * @since 0.1
 */
public interface MultiLocks extends MultiLockContract {

  @Test
  default void takesAllWithATokenEachAndGivesAllBack() {
    Sluice a = client();
    MultiLock locks = all(a, LONG);
    assertThat(locks.names()).containsExactly(A, B, C);
    MultiLease lease = locks.tryAcquire().orElseThrow();

    for (String name : ALL) {
      assertThat(holds(a, name)).isTrue();
      assertThat(lease.token(name)).isEqualTo(info(name).holder().orElseThrow().token());
      assertThat(lease.lease(name).token()).isEqualTo(lease.token(name));
      assertThat(client().lock(name, LONG).tryAcquire()).isEmpty();
    }
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(LONG.ttl());
    lease.checkHeld();
    assertThat(lease.release()).isTrue();
    assertThat(lease.release()).isFalse();
    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(allAreFree()).isTrue();
  }

  @Test
  default void aNameThatIsGivenTwiceCountsOnce() {
    try (MultiLease lease = client().multiLock(A, B, A).tryAcquire().orElseThrow()) {
      assertThat(lease.names()).containsExactly(A, B);
    }
  }

  @Test
  default void allRequestsLeaveBeforeTheFirstAnswer() throws Exception {
    FlakyBackend line = line().set(ACQUIRE, HOLDS_REPLY).set(RELEASE, HOLDS_REPLY);
    Sluice a = client(line);
    Running<Optional<MultiLease>> asking = start(() -> all(a, LONG).tryAcquire());
    until("all are asked for", () -> line.heldCalls() == 3);
    deliver(line, 3);
    MultiLease lease = asking.result().orElseThrow();
    assertThat(line.calls(ACQUIRE)).isEqualTo(3);

    Running<Boolean> releasing = start(lease::release);
    until("all are released", () -> line.heldCalls() == 3);
    deliver(line, 3);
    assertThat(releasing.result()).isTrue();
    assertThat(line.calls()).isEqualTo(6);
  }

  @Test
  default void grantsThatComeTooLateAreAnErrorAndAreGivenBack() throws Exception {
    FlakyBackend line = line().set(ACQUIRE, HOLDS_REPLY);
    Sluice a = client(line);
    Running<Optional<MultiLease>> asking = start(() -> all(a, FIXED).tryAcquire());
    until("all are asked for", () -> line.heldCalls() == 3);
    store().pass(SHORT_TTL);
    deliver(line, 3);

    until("the caller has an answer", asking.future()::isDone);
    assertThatThrownBy(asking::result)
        .cause()
        .isExactlyInstanceOf(BackendException.class)
        .hasMessageContaining("the grant came too late");
    until("all are free", this::allAreFree);
  }

  @Test
  default void waitEndsThoughTheLeasesRunOutBeforeAllAreLengthened() throws Exception {
    Lease busy = takeOne(client(), B);
    FlakyBackend line = line().set(RENEW, HOLDS_REPLY);
    Sluice a = client(line);
    Running<MultiLease> waiting = start(() -> all(a, FIXED).acquire(SHORT_TTL.multipliedBy(8)));
    untilItWaits(line, a, B);
    busy.close();
    assertEndsWhileLeasesRunOut(line, waiting.future());
  }

  @Test
  default void asyncWaitEndsThoughTheLeasesRunOutBeforeAllAreLengthened() {
    Lease busy = takeOne(client(), B);
    FlakyBackend line = line().set(RENEW, HOLDS_REPLY);
    Sluice a = client(line);
    CompletableFuture<MultiLease> waiting =
        all(a, FIXED).async().acquire(SHORT_TTL.multipliedBy(8)).toCompletableFuture();
    untilItWaits(line, a, B);
    busy.close();
    assertEndsWhileLeasesRunOut(line, waiting);
  }

  private void assertEndsWhileLeasesRunOut(FlakyBackend line, Future<MultiLease> waiting) {
    for (int round = 0; round < 20 && !waiting.isDone(); round++) {
      within("it goes on", SHORT_TTL, () -> waiting.isDone() || line.heldCalls() > 0);
      store().pass(SHORT_TTL);
      deliver(line, line.heldCalls());
    }

    until("the wait is over", waiting::isDone);
    assertThatThrownBy(waiting::get)
        .cause()
        .isInstanceOfAny(BackendException.class, LockTimeoutException.class)
        .hasMessageContaining("ran out");
    until("nothing is held", this::allAreFree);
  }

  private void deliver(FlakyBackend line, int calls) {
    for (int i = 0; i < calls; i++) {
      line.takeHeld().deliver();
    }
  }

  @Test
  default void whenOneIsBusyNoneStaysHeld() {
    Lease busy = takeOne(client(), B);
    assertThat(all(client(), LONG).tryAcquire()).isEmpty();

    assertThat(isFree(A)).isTrue();
    assertThat(isFree(C)).isTrue();
    busy.close();
    assertThat(all(client(), LONG).tryAcquire()).isPresent();
  }

  @Test
  default void asyncTakesAllOrNone() {
    MultiLease lease =
        all(client(), LONG).async().tryAcquire().toCompletableFuture().join().orElseThrow();
    assertThat(lease.names()).containsExactly(A, B, C);
    assertThat(all(client(), LONG).async().tryAcquire().toCompletableFuture().join()).isEmpty();
    assertThat(lease.release()).isTrue();
    assertThat(allAreFree()).isTrue();
  }

  @Test
  default void asyncWaitsForOneBusyLockAfterTheOther() {
    List<Lease> busy = ALL.stream().map(name -> takeOne(client(), name)).toList();
    FlakyBackend line = line();
    Sluice a = client(line);
    CompletableFuture<MultiLease> waiting =
        all(a, LONG).async().acquire(AGES).toCompletableFuture();
    for (String name : List.of(A, B, C)) {
      untilItWaits(line, a, name);
      busy.get(ALL.indexOf(name)).close();
    }
    until("it has all", waiting::isDone);
    assertThat(waiting.join().state()).isEqualTo(LeaseState.HELD);
    assertThat(ALL).allMatch(name -> holds(a, name));
  }

  @Test
  default void asyncWaitThatIsCancelledHoldsNothing() {
    takeOne(client(), B);
    FlakyBackend line = line();
    Sluice a = client(line);
    CompletableFuture<MultiLease> waiting =
        all(a, LONG).async().acquire(AGES).toCompletableFuture();
    untilItWaits(line, a, B);
    assertThat(holds(a, A)).isTrue();
    waiting.cancel(false);
    until("nothing is held", () -> isFree(A) && isFree(C) && info(B).waiters().isEmpty());
  }

  @Test
  default void asyncWaitEndsInTimeAndSaysForWhat() {
    takeOne(client(), B);
    CompletableFuture<MultiLease> waiting =
        all(client(), LONG).async().acquire(Duration.ofSeconds(1)).toCompletableFuture();
    within("the wait is over", Duration.ofMillis(1050), waiting::isDone);
    assertThatThrownBy(waiting::join)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("held by another lease");
    until("nothing is held", () -> isFree(A) && isFree(C));
  }

  @Test
  default void zeroWaitAsksOnce() {
    takeOne(client(), B);
    assertThatThrownBy(() -> all(client(), LONG).acquire(Duration.ZERO))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessage("locks [%s, %s, %s]: one of them is held by another lease", A, B, C);
  }

  @Test
  default void waitsForTheBusyOneAndHoldsNothingThatComesAfterIt() throws Exception {
    Lease busy = takeOne(client(), B);
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<MultiLease> waiting = start(() -> all(a, LONG).acquire(AGES));
    untilItWaits(line, a, B);

    until("what comes after the busy one is free", () -> isFree(C)); // released or never granted
    takeOne(client(), C).close();
    busy.close();
    until("it has all", waiting.future()::isDone);
    MultiLease lease = waiting.result();
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    assertThat(ALL).allMatch(name -> holds(a, name));
  }

  @Test
  default void waitsForOneBusyLockAfterTheOther() throws Exception {
    List<Lease> busy = ALL.stream().map(name -> takeOne(client(), name)).toList();
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<MultiLease> waiting = start(() -> all(a, LONG).acquire(AGES));
    for (String name : List.of(A, B, C)) {
      untilItWaits(line, a, name);
      busy.stream().filter(lease -> lease.name().equals(name)).forEach(Lease::close);
    }
    until("it has all", waiting.future()::isDone);
    assertThat(waiting.result().state()).isEqualTo(LeaseState.HELD);
  }

  @Test
  default void waitEndsInTimeAndNothingIsHeld() throws Exception {
    takeOne(client(), B);
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<MultiLease> waiting = start(() -> all(a, LONG).acquire(Duration.ofSeconds(1)));
    until("it waits", () -> waits(line, a, B) || waiting.future().isDone());
    within("the wait is over", Duration.ofMillis(1050), waiting.future()::isDone);

    assertThatThrownBy(waiting::result)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining(A)
        .hasMessageEndingWith("'" + B + "': held by another lease");
    until("nothing is held", () -> isFree(A) && isFree(C) && info(B).waiters().isEmpty());
  }

  @Test
  default void interruptedWaitHoldsNothing() {
    takeOne(client(), B);
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<MultiLease> waiting = start(() -> all(a, LONG).acquire(AGES));
    untilItWaits(line, a, B);
    waiting.thread().interrupt();

    assertThatThrownBy(waiting::result).cause().isInstanceOf(InterruptedException.class);
    until("nothing is held", () -> isFree(A) && isFree(C) && info(B).waiters().isEmpty());
  }

  @Test
  default void nobodyWaitsForTheOtherInACircle() throws Exception {
    List<Running<Integer>> all = new ArrayList<>();
    int[] counter = new int[1]; // under the locks
    for (List<String> order : List.of(List.of(A, B, C), List.of(C, B, A), List.of(B, C, A))) {
      Sluice client = client();
      for (int thread = 0; thread < 2; thread++) {
        all.add(
            start(
                () -> {
                  for (int i = 0; i < 10; i++) {
                    try (MultiLease lease = client.multiLock(order, LONG).acquire(AGES)) {
                      lease.checkHeld();
                      counter[0]++;
                    }
                  }
                  return 10;
                }));
      }
    }
    within(
        "all are done",
        Duration.ofSeconds(40),
        () -> all.stream().allMatch(each -> each.future().isDone()));
    for (Running<Integer> each : all) {
      assertThat(each.result()).isEqualTo(10);
    }
    assertThat(counter[0]).isEqualTo(60);
    until("nothing is left", this::allAreFree);
  }

  @Test
  default void exactlyOneOfManyWins() throws Exception {
    List<Running<MultiLease>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Sluice client = client();
      all.add(start(() -> all(client, LONG).acquire(AGES)));
    }
    within("one has all", Duration.ofSeconds(3), () -> !winners(all).isEmpty());
    store().pass(Duration.ofSeconds(1));

    assertThat(winners(all)).hasSize(1);
    assertThat(winners(all).get(0).result().state()).isEqualTo(LeaseState.HELD);
  }

  private List<Running<MultiLease>> winners(List<Running<MultiLease>> all) {
    return all.stream().filter(each -> each.future().isDone()).toList();
  }

  @Test
  default void unknownOutcomeOfOneLeavesNoOrphan() {
    FlakyBackend line = line();
    Sluice a = client(line);
    for (int spoiled = 0; spoiled < 3; spoiled++) {
      for (int i = 0; i < 3; i++) {
        line.next(ACQUIRE, i == spoiled ? LOSES_REPLY : NONE);
      }
      assertThatThrownBy(() -> all(a, LONG).tryAcquire())
          .isInstanceOf(OutcomeUnknownException.class);
      until("nothing is held", this::allAreFree);
    }
    all(client(), LONG).tryAcquire().orElseThrow().close();
  }

  @Test
  default void waitOutlivesALostReply() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, NONE).next(ACQUIRE, LOSES_REPLY).next(ACQUIRE, LOSES_REQUEST);
    Running<MultiLease> waiting = start(() -> all(a, LONG).acquire(AGES));
    within("it has all", Duration.ofSeconds(2), waiting.future()::isDone);

    MultiLease lease = waiting.result();
    for (String name : ALL) {
      assertThat(info(name).holder().orElseThrow().token()).isEqualTo(lease.token(name));
    }
    lease.close();
    until("nothing is left", this::allAreFree);
  }

  @Test
  default void releaseThatIsLostForOneFreesTheOthersAndIsRepeated() {
    FlakyBackend line = line();
    MultiLease lease = all(client(line), LONG).tryAcquire().orElseThrow();
    line.next(RELEASE, NONE).next(RELEASE, LOSES_REQUEST).next(RELEASE, NONE);
    lease.close();

    // which one is lost is a matter of chance where several threads answer
    assertThat(ALL.stream().filter(this::isFree).count()).isGreaterThanOrEqualTo(ALL.size() - 1);
    within("the lost one is repeated", Duration.ofSeconds(1), this::allAreFree);
  }

  @Test
  default void inDoubtWhileARenewalIsOverdue() {
    boolean isHeldAgain = false;
    for (int tries = 0; tries < 3 && !isHeldAgain; tries++) {
      isHeldAgain = isHeldAgainAfterADoubt();
    }
    assertThat(isHeldAgain).isTrue();
  }

  /** Skipped if the machine stands still until the lease has expired. */
  private boolean isHeldAgainAfterADoubt() {
    FlakyBackend line = line();
    MultiLease lease =
        all(client(line), LockOptions.renewing(Duration.ofMillis(4500))).tryAcquire().orElseThrow();
    List<LeaseState> told = new CopyOnWriteArrayList<>();
    lease.onChange((l, state) -> told.add(state));
    line.set(RENEW, LOSES_REQUEST);
    within("it is in doubt", Duration.ofMillis(3200), () -> !told.isEmpty());
    line.heal();
    within(
        "all is well, or lost",
        Duration.ofMillis(900),
        () -> told.contains(LeaseState.HELD) || told.contains(LeaseState.LOST));
    if (told.contains(LeaseState.LOST)) {
      lease.close();
      until("nothing is held", this::allAreFree);
      return false;
    }

    assertThat(told).containsExactly(LeaseState.IN_DOUBT, LeaseState.HELD);
    assertThat(lease.release()).isTrue();
    return true;
  }

  @Test
  default void renewalLengthensAll() {
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(8));
    MultiLease lease = all(client(), fixed).tryAcquire().orElseThrow();
    assertThat(lease.renew(Duration.ofSeconds(20))).isTrue();
    store().pass(fixed.ttl().plus(SHORT_TTL));

    lease.checkHeld();
    assertThat(ALL).allMatch(name -> info(name).holder().isPresent());
  }

  @Test
  default void fixedLeaseHasItsWholeTimeAfterAWait() throws Exception {
    Duration ttl = Duration.ofSeconds(20);
    Lease busy = takeOne(client(), C);
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<MultiLease> waiting = start(() -> all(a, LockOptions.fixed(ttl)).acquire(AGES));
    untilItWaits(line, a, C);
    store().pass(Duration.ofSeconds(2));
    long start = store().nanos();
    busy.close();
    within("it has all", Duration.ofSeconds(1), waiting.future()::isDone);

    MultiLease lease = waiting.result();
    Duration left = lease.remaining().plusNanos(store().nanos() - start); // since the wait
    assertThat(left).isGreaterThan(ttl.minusMillis(1900));
    for (String name : ALL) {
      assertThat(info(name).holder().orElseThrow().remaining())
          .as(name)
          .isLessThanOrEqualTo(ttl)
          .isGreaterThanOrEqualTo(lease.remaining().minusSeconds(1));
    }
  }

  @Test
  default void whatRanOutWhileWaitingIsTakenAnew() throws Exception {
    Lease busy = takeOne(client(), C);
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<MultiLease> waiting = start(() -> all(a, FIXED).acquire(AGES));
    untilItWaits(line, a, C);
    within("the earlier ones ran out", SHORT_TTL.plusMillis(20), () -> isFree(A));
    Lease stolen = takeOne(client(), A);
    busy.close();
    untilItWaits(line, a, A);
    until("it holds nothing else", () -> isFree(B) && isFree(C));
    stolen.close();
    within("it has all", Duration.ofSeconds(1), waiting.future()::isDone);

    MultiLease lease = waiting.result();
    assertThat(lease.token(A)).isGreaterThan(stolen.token());
  }

  @Test
  default void threadsOfOneProcessExcludeEachOther() {
    Sluice a = client();
    MultiLease lease = all(a, LONG).tryAcquire().orElseThrow();

    assertThat(all(a, LONG).tryAcquire()).isEmpty();
    assertThat(a.multiLock(C, "multi/d").tryAcquire()).isEmpty();
    assertThat(a.lock(C, LONG).tryAcquire()).isEmpty();
    assertThat(isFree("multi/d")).isTrue();
    lease.close();
    assertThat(all(a, LONG).tryAcquire()).isPresent();
  }

  @Test
  default void badInputIsRefused() {
    Sluice a = client();
    assertThatThrownBy(a::multiLock)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("names must not be empty");
    assertThatThrownBy(() -> a.multiLock("x", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 512 bytes");
    try (MultiLease lease = a.multiLock("x").tryAcquire().orElseThrow()) {
      assertThatThrownBy(() -> lease.token("y"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("'y' is none of ['x']");
    }
    a.close();
    assertThatThrownBy(() -> a.multiLock("x")).isInstanceOf(IllegalStateException.class);
  }
}
