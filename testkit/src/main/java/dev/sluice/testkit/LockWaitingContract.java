package dev.sluice.testkit;

import static dev.sluice.testkit.FlakyBackend.Line.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Promise L6 (nobody waits for the dead), the order of waiters, hand-off, and giving up. */
public abstract class LockWaitingContract extends LockOutcomeContract {
  private static final Duration POLL = micros(LockProtocol.POLL_MICROS);
  private static final Duration HEARTBEAT = micros(LockProtocol.HEARTBEAT_MICROS);

  /** For subclasses. */
  protected LockWaitingContract() {}

  private static Duration micros(long micros) {
    return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros));
  }

  @Test
  void l6_waitOnAHeldLockEndsInTimeAndLeavesNoTicket() throws Exception {
    Sluice a = client();
    Sluice b = client();
    take(a, LONG);
    CompletableFuture<Lease> waiting =
        lock(b, LONG).async().acquire(Duration.ofSeconds(1)).toCompletableFuture();
    until("it waits", () -> waits(b));
    assertThat(waiting).isNotDone();

    within("the wait is over", Duration.ofMillis(1010), waiting::isDone);
    assertThatThrownBy(waiting::join).cause().isInstanceOf(LockTimeoutException.class);
    until("the ticket is taken back", () -> info().waiters().isEmpty());
    assertThat(holds(a)).isTrue();
  }

  @Test
  void l6_threadWaitsNoLongerThanItSaid() throws Exception {
    Sluice a = client();
    Sluice b = client();
    take(a, LONG);
    Running<Optional<Lease>> waiting =
        start(() -> lock(b, LONG).tryAcquire(Duration.ofMillis(400)));
    until("it waits", () -> waits(b));
    within("the wait is over", Duration.ofMillis(450), waiting.future()::isDone);

    assertThat(waiting.result()).isEmpty();
    until("the ticket is taken back", () -> info().waiters().isEmpty());
  }

  @Test
  void l6_zeroWaitAsksOnce() throws Exception {
    FlakyBackend line = line();
    Sluice b = client(line);
    take(client(), LONG);

    assertThat(lock(b, LONG).tryAcquire(Duration.ZERO)).isEmpty();
    assertThatThrownBy(() -> lock(b, LONG).acquire(Duration.ZERO))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessage("lock '%s': somebody else holds it", NAME);
    assertThat(line.calls(ACQUIRE)).isEqualTo(2);
    assertThat(info().waiters()).isEmpty();
  }

  @Test
  void l6_waiterProceedsWhenTheLeaseRanOut() {
    FlakyBackend line = line();
    take(client(line), FIXED);
    line.die();
    Sluice b = client();

    granted(enqueue(b, LONG), SHORT_TTL.plusMillis(100));
    assertThat(holds(b)).isTrue();
  }

  @Test
  void l6_deadHolderCostsAtMostItsTtl() {
    FlakyBackend line = line();
    take(client(line), RENEWING);
    CompletableFuture<Lease> waiting = enqueue(client(), LONG);
    store().pass(SHORT_TTL.multipliedBy(2));
    assertThat(waiting).isNotDone();
    line.die();

    granted(waiting, SHORT_TTL.plusMillis(100));
  }

  @Test
  void l6_deadWaiterIsSkipped() {
    FlakyBackend line = line();
    Lease held = take(client(), LONG);
    enqueue(client(line), LONG);
    CompletableFuture<Lease> waiting = enqueue(client(), LONG);
    line.die();
    held.close();

    granted(waiting, HEARTBEAT.plus(POLL));
  }

  @Test
  void l6_waiterThatDiedBeforeTheReleaseCostsNothing() {
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
  void l6_wakeUpComesByMessage() {
    Lease held = take(client(), LONG);
    CompletableFuture<Lease> waiting = enqueue(client(), LONG);
    held.close();

    granted(waiting); // no time passes where it can be held
  }

  @Test
  void l6_lostWakeUpCostsAtMostAPoll() {
    FlakyBackend line = line();
    Lease held = take(client(), LONG);
    line.losesMessages(true);
    CompletableFuture<Lease> waiting = enqueue(client(line), LONG);
    held.close();

    granted(waiting, POLL.plusMillis(10));
    assertThat(line.messages()).extracting(LockMessage::kind).contains(LockMessage.Kind.GRANTED);
  }

  @Test
  void l6_releaseWakesOneWaiter() {
    Lease held = take(client(), LONG);
    List<FlakyBackend> lines = new ArrayList<>();
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      lines.add(line());
      waiting.add(enqueue(client(lines.get(i)), LONG));
    }
    held.close();
    Lease first = granted(waiting.get(0), POLL);

    assertThat(wakeUps(lines)).isEqualTo(1);
    first.close();
    granted(waiting.get(1), POLL);
    assertThat(wakeUps(lines)).isEqualTo(2);
    assertThat(waiting.get(2)).isNotDone();
  }

  private static long wakeUps(List<FlakyBackend> lines) {
    return lines.stream()
        .flatMap(line -> line.messages().stream())
        .filter(message -> message.kind() == LockMessage.Kind.GRANTED)
        .count();
  }

  @Test
  void grantsFollowTheQueue() {
    Lease held = take(client(), LONG);
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(enqueue(client(), LONG));
    }
    store().pass(POLL); // polls do not change the order
    long last = held.token();
    held.close();
    for (int i = 0; i < 4; i++) {
      Lease lease = granted(waiting.get(i), POLL);
      assertThat(waiting.subList(i + 1, 4)).noneMatch(CompletableFuture::isDone);
      assertThat(lease.token()).isGreaterThan(last);
      last = lease.token();
      lease.close();
    }
  }

  @Test
  void newcomerDoesNotPassALiveTicket() {
    FlakyBackend line = line();
    Sluice a = client();
    Sluice b = client(line);
    Lease held = take(a, LONG);
    line.losesMessages(true);
    CompletableFuture<Lease> waiting = enqueue(b, LONG);
    held.close();

    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    granted(waiting, POLL.plusMillis(10));
  }

  @Test
  void newcomerDoesNotPassALiveTicketWhenTheLeaseRanOut() {
    FlakyBackend holder = line();
    FlakyBackend line = line();
    LockOptions brief = LockOptions.fixed(Duration.ofMillis(200));
    take(client(holder), brief);
    holder.die();
    line.losesMessages(true);
    CompletableFuture<Lease> waiting = enqueue(client(line), LONG);
    line.set(ACQUIRE, HOLDS_REQUEST); // its polls are late, but within the heartbeat
    store().pass(brief.ttl().plusMillis(1));

    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
    line.heal();
    granted(waiting, POLL.multipliedBy(2));
  }

  @Test
  void interruptOnEntryTakesNothing() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    Running<Boolean> interrupted =
        start(
            () -> {
              Thread.currentThread().interrupt();
              assertThatThrownBy(() -> lock(a, LONG).acquire(AGES))
                  .isInstanceOf(InterruptedException.class)
                  .hasMessage("interrupted while waiting for lock '%s'", NAME);
              return Thread.interrupted();
            });
    assertThat(interrupted.result()).isFalse();
    assertThat(line.calls(ACQUIRE)).isZero();
    assertNothingLeft();
  }

  @Test
  void interruptedWaiterLeavesNothing() throws Exception {
    FlakyBackend line = line();
    Sluice a = client();
    Sluice b = client(line);
    Lease held = take(a, LONG);
    Running<Lease> waiting = start(() -> lock(b, LONG).acquire(AGES));
    until("it waits", () -> waits(b));
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
  void interruptWhileTheRequestIsOnItsWayLeavesNothing() throws Exception {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REQUEST);
    Running<Lease> waiting = start(() -> lock(a, LONG).acquire(AGES));
    until("the request is on its way", () -> line.heldCalls() == 1);
    waiting.thread().interrupt();
    assertThatThrownBy(waiting::result).cause().isInstanceOf(InterruptedException.class);

    line.takeHeld().deliver();
    until("the grant is given back", () -> line.calls(RELEASE) == 1);
    until("the lock is free", () -> info().holder().isEmpty());
    assertNothingLeft();
  }

  @Test
  void cancelledStageGivesItsPlaceUp() {
    Sluice a = client();
    Sluice b = client();
    Lease held = take(a, LONG);
    CompletableFuture<Lease> cancelled = enqueue(b, LONG);
    CompletableFuture<Lease> waiting = enqueue(client(), LONG);
    cancelled.cancel(false);
    until("the ticket is taken back", () -> !waits(b));
    held.close();

    granted(waiting, POLL);
    assertThat(cancelled).isCancelled();
  }

  @Test
  void grantThatComesAfterTheCancelIsGivenBack() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.next(ACQUIRE, HOLDS_REQUEST);
    CompletableFuture<Lease> cancelled = queue(a, LONG);
    until("the request is on its way", () -> line.heldCalls() == 1);
    cancelled.cancel(false);
    line.takeHeld().deliver();

    until("the grant is given back", () -> line.calls(RELEASE) > 0);
    until("the lock is free", () -> info().holder().isEmpty());
  }

  /** The grant arrives between the caller's cancel and our hearing of it. */
  @Test
  void grantThatCrossesTheCancelIsGivenBack() {
    AtomicInteger callbacks = new AtomicInteger();
    Sluice a = client();
    Sluice b =
        client(
            line(),
            builder ->
                builder.callbacks(
                    task -> {
                      task.run();
                      callbacks.incrementAndGet();
                    }));
    Lease held = take(a, LONG);
    CompletableFuture<Lease> crossing = enqueue(b, LONG);
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
  void stageThatTimesOutByItselfGivesItsPlaceUp() {
    Sluice a = client();
    Sluice b = client();
    Lease held = take(a, LONG);
    CompletableFuture<Lease> ended = enqueue(b, LONG);
    ended.completeExceptionally(new java.util.concurrent.TimeoutException("caller's own"));

    until("the ticket is taken back", () -> !waits(b));
    held.close();
    assertNothingLeft();
  }

  @Test
  void handOffWithinAProcessCostsNoCall() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Lease lease = take(a, LONG);
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      waiting.add(queue(a, LONG));
    }
    lease.close();
    lease = granted(waiting.get(0), POLL); // the first had a block of one
    int acquires = line.calls(ACQUIRE);
    int releases = line.calls(RELEASE);
    for (int i = 1; i < 20; i++) {
      long last = lease.token();
      lease.close();
      lease = granted(waiting.get(i));
      assertThat(lease.token()).isEqualTo(last + 1);
    }
    assertThat(line.calls(ACQUIRE)).isEqualTo(acquires);
    assertThat(line.calls(RELEASE)).isEqualTo(releases);
    lease.close();
    assertNothingLeft();
  }

  @Test
  void handOffLimitOfOneMakesProcessesAlternate() {
    LockOptions options = LONG.handOff(1, Duration.ofSeconds(1));
    Sluice a = client();
    Sluice b = client();
    List<String> turns = Collections.synchronizedList(new ArrayList<>());
    Lease gate = take(client(), LONG);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (Sluice client : List.of(a, b)) {
      String who = client == a ? "a" : "b";
      for (int i = 0; i < 4; i++) {
        all.add(
            queue(client, options)
                .thenAccept(
                    lease -> {
                      turns.add(who);
                      lease.releaseAsync();
                    }));
      }
      until("it waits", () -> waits(client));
    }
    gate.close();

    CompletableFuture<Void> done =
        CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    within("all had their turn", POLL.multipliedBy(8), done::isDone);
    assertThat(turns).containsExactly("a", "b", "a", "b", "a", "b", "a", "b");
  }

  @Test
  void otherProcessIsServedWhileThisOneGoesOnAndOn() throws Exception {
    Sluice a = client();
    Sluice b = client();
    LockOptions options = LONG.handOff(10, Duration.ofSeconds(10));
    boolean[] stop = new boolean[1]; // under the lock
    List<Running<Integer>> busy = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      busy.add(
          start(
              () -> {
                for (int turns = 0; ; turns++) {
                  try (Lease lease = lock(a, options).acquire(AGES)) {
                    lease.checkHeld();
                    if (stop[0]) {
                      return turns;
                    }
                  }
                }
              }));
    }
    for (int i = 0; i < 5; i++) {
      CompletableFuture<Lease> waiting = queue(b, options);
      Lease lease = granted(waiting, POLL.multipliedBy(2));
      stop[0] = i == 4;
      lease.close();
    }
    for (Running<Integer> each : busy) {
      assertThat(each.result()).isNotNegative();
    }
  }

  @Test
  void stickyLockIsTakenAgainWithoutACall() {
    FlakyBackend line = line();
    Sluice a = client(line);
    LockOptions sticky = LONG.sticky(Duration.ofSeconds(20));
    take(a, sticky).close();
    int acquires = line.calls(ACQUIRE);
    long last = 0;
    for (int i = 0; i < 100; i++) {
      Lease lease = take(a, sticky);
      assertThat(lease.token()).isGreaterThan(last);
      last = lease.token();
      lease.close();
    }
    assertThat(line.calls(ACQUIRE)).isEqualTo(acquires);
    assertThat(line.calls(RELEASE)).isZero();
    assertThat(holds(a)).isTrue();
  }

  @Test
  void stickyLockIsLetGoAtOnceForAnother() {
    Sluice a = client();
    Sluice b = client();
    Lease first = take(a, LONG.sticky(Duration.ofSeconds(20)));
    first.close();
    Lease next = granted(queue(b, LONG)); // by message: no time passes where it can be held

    assertThat(next.token()).isGreaterThan(first.token());
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
  }

  @Test
  void stickyLockIsLetGoForAnotherThoughTheMessageIsLost() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.losesMessages(true);
    take(a, RENEWING.sticky(Duration.ofSeconds(20))).close();

    granted(queue(client(), LONG), SHORT_TTL.plus(POLL));
  }

  @Test
  void stickyLockIsGivenBackWhenItsTimeIsOver() {
    Sluice a = client();
    take(a, LONG.sticky(Duration.ofMillis(300))).close();
    assertThat(holds(a)).isTrue();

    within("it is given back", Duration.ofMillis(400), () -> info().holder().isEmpty());
    take(client(), LONG);
  }
}
