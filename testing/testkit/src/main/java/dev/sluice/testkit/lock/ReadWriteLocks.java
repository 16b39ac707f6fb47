package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * Tests of read-write locks on every backend, beyond the tests of the exclusive side in the groups
 * of locks.
 *
 * @since 0.1
 */
public interface ReadWriteLocks extends PermitContract {

  private DistributedReadWriteLock writersFirst(Sluice client) {
    return client.readWriteLock(NAME, LONG, ReadWriteOrder.WRITERS_FIRST);
  }

  @Test
  default void l1_readersShareAndWritersDoNot() {
    DistributedReadWriteLock a = lock(client(), LONG);
    DistributedReadWriteLock other = lock(client(), LONG);

    List<Lease> readers =
        List.of(
            take(a.readLock()), take(a.readLock()), take(other.readLock()), take(other.readLock()));
    assertThat(a.writeLock().tryAcquire()).isEmpty();
    assertThat(other.writeLock().tryAcquire()).isEmpty();
    for (Lease reader : readers) {
      assertThat(a.writeLock().tryAcquire()).isEmpty();
      assertThat(reader.release()).isTrue();
    }

    Lease writer = take(a.writeLock());
    for (DistributedReadWriteLock each : List.of(a, other)) {
      assertThat(each.readLock().tryAcquire()).isEmpty();
      assertThat(each.writeLock().tryAcquire()).isEmpty();
    }
    assertThat(writer.release()).isTrue();
    take(other.readLock());
  }

  /**
   * Tests 2 processes x 4 threads; a writer changes two numbers, and no reader may run in between.
   */
  @Test
  default void l1_readersNeverSeeHalfAChangeAndNoChangeIsLost() throws Exception {
    long[] pair = new long[2]; // plain on purpose: the lock alone orders the accesses
    AtomicInteger reading = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    CyclicBarrier start = new CyclicBarrier(8);
    List<Running<Integer>> running = new ArrayList<>();
    for (int process = 0; process < 2; process++) {
      Sluice client = client();
      for (int thread = 0; thread < 4; thread++) {
        boolean writes = thread == 0;
        running.add(
            start(
                () -> {
                  start.await();
                  DistributedReadWriteLock lock = lock(client, LONG);
                  for (int i = 0; i < 60; i++) {
                    try (Lease lease =
                        (writes ? lock.writeLock() : lock.readLock()).acquire(AGES)) {
                      if (writes) {
                        assertThat(reading.get()).as("readers beside a writer").isZero();
                        pair[0]++;
                        Thread.yield();
                        pair[1]++;
                      } else {
                        together.accumulateAndGet(reading.incrementAndGet(), Math::max);
                        assertThat(pair[1]).isEqualTo(pair[0]);
                        Thread.yield();
                        reading.decrementAndGet();
                      }
                      lease.checkHeld();
                    }
                  }
                  return writes ? 60 : 0;
                }));
      }
    }
    long changes = 0;
    for (Running<Integer> each : running) {
      changes += each.result();
    }
    assertThat(pair[0]).isEqualTo(changes);
    assertThat(together.get()).isPositive();
    until("nothing is left", () -> info().holders().isEmpty());
  }

  @Test
  default void l2_writersTokenIsAboveThoseBeforeAndBelowThoseAfter() {
    Sluice first = client();
    Sluice second = client();
    long last = 0;
    for (int round = 0; round < 5; round++) {
      DistributedReadWriteLock a = lock(round % 2 == 0 ? first : second, LONG);
      DistributedReadWriteLock other = lock(round % 2 == 0 ? second : first, LONG);
      Lease one = take(a.readLock());
      Lease two = take(other.readLock());
      Lease three = take(a.readLock());
      assertThat(List.of(one.token(), two.token(), three.token()))
          .allMatch(allAbove(last))
          .doesNotHaveDuplicates();
      long highest = Math.max(Math.max(one.token(), two.token()), three.token());
      one.close();
      two.close();
      three.close();
      try (Lease writer = take(other.writeLock())) {
        assertThat(writer.token()).isGreaterThan(highest);
        last = writer.token();
      }
    }
  }

  private Predicate<Long> allAbove(long bound) {
    return token -> token > bound;
  }

  @Test
  default void l3_lateReleaseOfAReaderDoesNotFreeTheNext() {
    FlakyBackend line = line();
    Sluice client = client(line);
    DistributedReadWriteLock a = lock(client, LONG);
    Lease first = take(a.readLock());
    line.set(RELEASE, HOLDS_REQUEST);
    first.releaseAsync();
    until("the release is on its way", () -> line.heldCalls() == 1);
    line.heal();
    Lease second = take(a.readLock());
    line.deliverAgain(line.acquires().get(0));

    within("the release is repeated", SECOND, () -> held(client) == 1);
    second.checkHeld();
    assertThat(second.renew(Duration.ofSeconds(30))).isTrue();
    assertThat(lock(client(), LONG).writeLock().tryAcquire()).isEmpty();
  }

  @Test
  default void l6_deadReaderCostsTheWriterItsTtl() {
    FlakyBackend line = line();
    Sluice other = client();
    take(lock(client(line), STEADY).readLock());
    line.die();
    CompletableFuture<Lease> writer = queued(other, queue(lock(other, LONG).writeLock()));

    granted(writer, STEADY.ttl().plus(SECOND));
  }

  @Test
  default void l6_allReadersAtTheHeadAreLetInTogetherByMessage() {
    Lease writer = take(lock(client(), LONG).writeLock());
    List<CompletableFuture<Lease>> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Sluice client = client();
      readers.add(queued(client, queue(lock(client, LONG).readLock())));
    }
    Sluice last = client();
    CompletableFuture<Lease> nextWriter = queued(last, queue(lock(last, LONG).writeLock()));
    writer.close();

    List<Lease> leases = readers.stream().map(this::granted).toList();
    assertThat(nextWriter).isNotDone();
    leases.forEach(Lease::close);
    granted(nextWriter);
  }

  @Test
  default void l7_lostReplyOfAReaderIsUndone() {
    FlakyBackend line = line();
    DistributedReadWriteLock a = lock(client(line), LONG);
    line.next(ACQUIRE, LOSES_REPLY);

    assertThatThrownBy(() -> a.readLock().tryAcquire())
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageStartingWith("read lock '" + NAME + "': ");
    within("the grant is undone", SECOND, () -> info().holders().isEmpty());
    take(lock(client(), LONG).writeLock());
  }

  @Test
  default void fairOrder_waitingWriterKeepsLaterReadersBack() {
    Lease reader = take(lock(client(), LONG).readLock());
    Sluice other = client();
    CompletableFuture<Lease> writer = queued(other, queue(lock(other, LONG).writeLock()));
    Sluice third = client();
    CompletableFuture<Lease> later = queued(third, queue(lock(third, LONG).readLock()));

    assertThat(lock(client(), LONG).readLock().tryAcquire()).isEmpty();
    store().pass(SECOND);
    assertThat(later).isNotDone();
    reader.close();
    Lease wrote = granted(writer, SECOND);
    assertThat(later).isNotDone();
    wrote.close();
    granted(later, SECOND);
  }

  @Test
  default void fairOrder_waitingReaderIsNotPassedByALaterWriter() {
    Lease first = take(lock(client(), LONG).writeLock());
    Sluice other = client();
    CompletableFuture<Lease> reader = queued(other, queue(lock(other, LONG).readLock()));
    Sluice third = client();
    CompletableFuture<Lease> writer = queued(third, queue(lock(third, LONG).writeLock()));
    first.close();

    Lease read = granted(reader, SECOND);
    assertThat(writer).isNotDone();
    read.close();
    granted(writer, SECOND);
  }

  @Test
  default void fairOrder_holdsWithinAProcess() {
    DistributedReadWriteLock a = lock(client(), LONG);
    Lease reader = take(a.readLock());
    CompletableFuture<Lease> writer = queue(a.writeLock());
    CompletableFuture<Lease> later = queue(a.readLock());

    assertThat(a.readLock().tryAcquire()).isEmpty();
    store().pass(SECOND);
    assertThat(later).isNotDone();
    reader.close();
    Lease wrote = granted(writer, SECOND);
    assertThat(later).isNotDone();
    wrote.close();
    granted(later, SECOND);
  }

  /** Checks that a store which cannot serve writers first refuses to create such a lock. */
  private boolean refusesWritersFirst() {
    if (store().servesWritersFirst()) {
      return false;
    }
    Sluice client = client();
    assertThatThrownBy(() -> writersFirst(client))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("WRITERS_FIRST");
    assertNothingLeft();
    return true;
  }

  @Test
  default void writersFirst_writerPassesReadersThatWait() {
    if (refusesWritersFirst()) {
      return;
    }
    Lease first = take(writersFirst(client()).writeLock());
    Sluice other = client();
    CompletableFuture<Lease> reader = queued(other, queue(writersFirst(other).readLock()));
    List<CompletableFuture<Lease>> writers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Sluice third = client();
      writers.add(queued(third, queue(writersFirst(third).writeLock())));
    }
    first.close();

    for (CompletableFuture<Lease> writer : writers) {
      Lease wrote = granted(writer, SECOND);
      assertThat(reader).isNotDone();
      wrote.close();
    }
    granted(reader, SECOND);
  }

  @Test
  default void writersFirst_holdsWithinAProcess() {
    if (refusesWritersFirst()) {
      return;
    }
    DistributedReadWriteLock a = writersFirst(client());
    Lease first = take(a.writeLock());
    CompletableFuture<Lease> reader = queue(a.readLock());
    CompletableFuture<Lease> writer = queue(a.writeLock());
    first.close();

    Lease wrote = granted(writer, SECOND);
    assertThat(reader).isNotDone();
    wrote.close();
    granted(reader, SECOND);
  }

  @Test
  default void readersOfAProcessAreOneAtTheStore() {
    FlakyBackend line = line();
    Sluice client = client(line);
    DistributedReadWriteLock a = lock(client, LONG);
    List<Lease> readers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      readers.add(take(a.readLock()));
    }
    assertThat(held(client)).isEqualTo(1);
    readers.forEach(Lease::close);

    assertThat(line.calls(ACQUIRE)).isEqualTo(1);
    assertThat(line.calls(RELEASE)).isEqualTo(1);
    assertNothingLeft();
  }

  @Test
  default void uncontendedWriterCostsOneRequestEachWay() {
    FlakyBackend line = line();
    DistributedReadWriteLock a = lock(client(line), LONG);
    for (int i = 0; i < 10; i++) {
      take(a.writeLock()).close();
    }
    assertThat(line.calls(ACQUIRE)).isEqualTo(10);
    assertThat(line.calls(RELEASE)).isEqualTo(10);
    assertThat(line.messages()).isEmpty();
  }

  /**
   * Tests that readers of one process follow one another without a gap, and that a writer of
   * another process enters.
   */
  @Test
  default void readersThatNeverPauseLetAWriterOfAnotherProcessIn() {
    LockOptions polite = LONG.handOff(4, Duration.ofSeconds(10));
    FlakyBackend line = line();
    LeaseLock reads = lock(client(line), polite).readLock();
    Lease reader = take(reads);
    Sluice other = client();
    CompletableFuture<Lease> writer = queued(other, queue(lock(other, LONG).writeLock()));
    until("their process knows of the waiter", () -> !line.messages().isEmpty());
    int joined = 0;
    CompletableFuture<Lease> next = queue(reads);
    for (; joined < 50; joined++) {
      CompletableFuture<Lease> joins = next;
      until("who joins is let in or stands in the queue", () -> joins.isDone() || waiting() > 1);
      if (!joins.isDone()) {
        break;
      }
      reader.close();
      reader = joins.join();
      next = queue(reads);
    }
    assertThat(joined).isLessThanOrEqualTo(4);
    reader.close();
    Lease wrote = granted(writer, SECOND);
    assertThat(next).isNotDone();
    wrote.close();
    granted(next, SECOND);
  }

  private int waiting() {
    return info().waiters().size();
  }

  @Test
  default void downgradeLetsReadersInAndNoWriterBetween() {
    LockOptions shares = LONG.handOff(4, Duration.ofSeconds(10)); // though a writer waits
    Sluice client = client();
    DistributedReadWriteLock a = lock(client, shares);
    Lease writer = take(a.writeLock());
    CompletableFuture<Lease> here = queued(client, queue(a.readLock()));
    Sluice other = client();
    CompletableFuture<Lease> there = queued(other, queue(lock(other, LONG).readLock()));
    Sluice third = client();
    CompletableFuture<Lease> later = queued(third, queue(lock(third, LONG).writeLock()));

    Lease reader = a.downgrade(writer);

    assertThat(reader.token()).isEqualTo(writer.token());
    assertThat(writer.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(writer.release()).isFalse();
    Lease beside = granted(there, SECOND);
    int most = store().growsTickets() ? 1 : 2; // one for the downgraded, one for who came later
    until("the readers of a process share a unit", () -> held(client) >= 1 && held(client) <= most);
    Lease local = granted(here, SECOND);
    assertThat(later).isNotDone();
    local.close();
    beside.close();
    reader.checkHeld();
    assertThat(later).isNotDone();
    assertThat(reader.release()).isTrue();
    assertThat(granted(later, SECOND).token()).isGreaterThan(reader.token());
  }

  @Test
  default void downgradeThatDidNotReachTheStoreIsRepeated() {
    FlakyBackend line = line();
    DistributedReadWriteLock a = lock(client(line), LONG);
    Lease writer = take(a.writeLock());
    line.next(RELEASE, LOSES_REQUEST);
    Lease reader = a.downgrade(writer);
    Sluice other = client();

    granted(queue(lock(other, LONG).readLock()), SECOND);
    reader.checkHeld();
    assertThat(lock(client(), LONG).writeLock().tryAcquire()).isEmpty();
  }

  @Test
  default void downgradeTakesALeaseToWriteThatIsHeld() {
    Sluice client = client();
    DistributedReadWriteLock a = lock(client, LONG);
    Lease foreign = take(lock(client(), LONG).writeLock());
    assertThatThrownBy(() -> a.downgrade(foreign)).isInstanceOf(IllegalArgumentException.class);
    foreign.close();
    Lease reader = take(a.readLock());
    assertThatThrownBy(() -> a.downgrade(reader))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("not a lease to write under '" + NAME + "' of this client: ");
    reader.close();
    Lease other = client.readWriteLock(NAME + "!").writeLock().tryAcquire().orElseThrow();
    assertThatThrownBy(() -> a.downgrade(other)).isInstanceOf(IllegalArgumentException.class);

    Lease released = take(a.writeLock());
    released.close();
    assertThatThrownBy(() -> a.downgrade(released))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("was released");
    Lease lost = take(lock(client, FIXED).writeLock());
    store().pass(SHORT_TTL.multipliedBy(2));
    assertThatThrownBy(() -> a.downgrade(lost)).isInstanceOf(LeaseLostException.class);
    within("nothing is left", SECOND, () -> held(client) == 0);
  }

  @Test
  default void readerIsNotUpgraded() {
    DistributedReadWriteLock a = lock(client(), LONG);
    Lease reader = take(a.readLock());

    assertThat(a.writeLock().tryAcquire()).isEmpty();
    CompletableFuture<Lease> writer =
        a.writeLock().async().acquire(SHORT_TTL).toCompletableFuture();
    within("the wait is over", SHORT_TTL.multipliedBy(2), writer::isDone);
    assertThatThrownBy(writer::join)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining(
            "this process itself reads under 1 lease, and a lease to read is not upgraded");
    reader.checkHeld();
    assertThat(reader.release()).isTrue();
    assertNothingLeft();
  }

  @Test
  default void readerIsRenewedAndIsNotifiedOfItsLoss() {
    FlakyBackend line = line();
    Sluice client = client(line);
    DistributedReadWriteLock a = lock(client, STEADY);
    Lease one = take(a.readLock());
    Lease two = take(a.readLock());
    store().pass(STEADY.ttl().plus(SHORT_TTL));
    one.checkHeld();
    two.checkHeld();
    List<LeaseState> heard = new ArrayList<>();
    two.onChange(
        (lease, state) -> {
          synchronized (heard) {
            heard.add(state);
          }
        });
    store().loseData();

    within(
        "both are lost",
        STEADY.ttl(),
        () -> one.state() == LeaseState.LOST && two.state() == LeaseState.LOST);
    until(
        "the listener heard of it",
        () -> {
          synchronized (heard) {
            return heard.contains(LeaseState.LOST);
          }
        });
  }

  @Test
  default void bothSidesAreLocksOfJavaToo() throws Exception {
    DistributedReadWriteLock a = lock(client(), LONG);
    var reads = a.readLock().asReentrantLock();
    var writes = a.writeLock().asReentrantLock();
    reads.lock();
    reads.lock();
    assertThat(writes.tryLock()).isFalse();
    Running<Boolean> alongside =
        start(
            () -> {
              reads.lock();
              reads.unlock();
              return true;
            });
    assertThat(alongside.result()).isTrue();
    reads.unlock();
    assertThat(writes.tryLock()).isFalse();
    reads.unlock();
  }
}
