package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.REPEATS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Tests of a store that decides about a lock in one place: the order of waiters of several
 * processes, one message for one release, one token for a repeated request. A quorum has no such
 * place.
 *
 * @since 0.1
 */
public interface Queueing extends LockContract {

  /** The least life of a ticket after its last poll. */
  Duration LIVE = Duration.ofNanos(LockProtocol.HEARTBEAT_MICROS * 1000).minus(POLL);

  @Test
  default void l7_repeatedRequestIsTheSameGrantWithTheSameToken() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.set(ACQUIRE, REPEATS_REQUEST).set(RELEASE, REPEATS_REQUEST);

    Lease lease = take(a, LONG);
    line.deliverAgain(line.acquires().get(0));

    assertThat(info().holder().orElseThrow().token()).isEqualTo(lease.token());
    assertThat(info().lastToken()).isEqualTo(lease.token());
    assertThat(lease.release()).isTrue();
    assertNothingLeft();
  }

  @Test
  default void l6_releaseWakesOneWaiter() {
    Lease held = take(client(), LONG);
    List<FlakyBackend> lines = new ArrayList<>();
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      lines.add(line());
      waiting.add(enqueue(client(lines.get(i)), LONG));
    }
    held.close();
    Lease first = granted(waiting.get(0), POLL);

    // the first may have looked before its message came, so that none came; the others get none
    assertThat(wakeUps(lines.subList(1, 3))).isZero();
    first.close();
    granted(waiting.get(1), POLL);
    assertThat(wakeUps(lines.subList(2, 3))).isZero();
    assertThat(waiting.get(2)).isNotDone();
  }

  @Test
  default void grantsFollowTheQueue() {
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
  default void newcomerDoesNotPassALiveTicket() {
    FlakyBackend line = line();
    Sluice a = client();
    Sluice other = client(line);
    Sluice newcomer = client();
    info(newcomer, NAME); // it is connected before the time of the ticket runs
    Lease held = take(a, LONG);
    line.losesMessages(true);
    long start = store().nanos();
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    held.close();

    List<Optional<Lease>> passed =
        List.of(lock(newcomer, LONG).tryAcquire(), lock(a, LONG).tryAcquire());
    if (store().nanos() - start < LIVE.toNanos()) { // else the ticket may have died
      assertThat(passed).containsOnly(Optional.empty());
    }
    passed.forEach(lease -> lease.ifPresent(Lease::close));
    granted(waiting, POLL.plusMillis(10));
  }

  @Test
  default void newcomerDoesNotPassALiveTicketWhenTheLeaseRanOut() {
    FlakyBackend holder = line();
    FlakyBackend line = line();
    LockOptions brief = FIXED;
    Sluice other = client(line);
    Sluice newcomer = client();
    take(client(holder), brief);
    holder.die();
    line.losesMessages(true);
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    long start = store().nanos();
    line.set(ACQUIRE, HOLDS_REQUEST); // its polls are late, but within the heartbeat
    line.awaitAnswers();
    store().pass(brief.ttl().plusMillis(1));

    Optional<Lease> passed = lock(newcomer, LONG).tryAcquire();
    if (store().nanos() - start < LIVE.toNanos()) { // else the ticket may have died
      assertThat(passed).isEmpty();
    }
    passed.ifPresent(Lease::close);
    line.heal();
    granted(waiting, POLL.multipliedBy(2));
  }

  @Test
  default void handOffLimitOfOneMakesProcessesAlternate() {
    takeTurns(2, 4, LONG.handOff(1, Duration.ofSeconds(1)));
  }

  @Test
  default void fairLockServesProcessesInTheOrderTheyQueued() {
    takeTurns(3, 3, LONG.fair());
  }

  /**
   * Each process has several callers. A caller that had a grant is back in the queue before the
   * next grant ends.
   */
  private void takeTurns(int processes, int each, LockOptions options) {
    Lease gate = take(client(), LONG);
    List<Sluice> clients = new ArrayList<>();
    List<Deque<CompletableFuture<Lease>>> callers = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      Sluice client = client();
      clients.add(client);
      callers.add(new ArrayDeque<>());
      for (int j = 0; j < each; j++) {
        callers.get(i).add(queue(client, options));
      }
      until("it waits", () -> waits(client));
    }
    gate.close();

    for (int turn = 0; turn < processes * each; turn++) {
      Lease lease = granted(callers.get(turn % processes).remove(), POLL.multipliedBy(2));
      assertThat(callers).allSatisfy(own -> assertThat(own).noneMatch(Future::isDone));
      int before = (turn + processes - 1) % processes;
      if (turn > 0 && !callers.get(before).isEmpty()) {
        until("it waits again", () -> waits(clients.get(before)));
      }
      lease.close();
    }
  }

  @Test
  default void fairLockPassesNobodyThoughTheMessageThatHeWaitsIsLost() {
    FlakyBackend line = line();
    Sluice a = client(line);
    LockOptions fair = LONG.fair();
    Lease held = take(a, fair);
    line.losesMessages(true);
    CompletableFuture<Lease> other = enqueue(client(), fair);
    CompletableFuture<Lease> local = queue(a, fair); // came after the other one
    held.close();

    Lease next = granted(other, POLL);
    assertThat(local).isNotDone();
    next.close();
    granted(local, POLL.multipliedBy(2));
  }
}
