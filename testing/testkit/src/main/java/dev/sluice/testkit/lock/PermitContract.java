package dev.sluice.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.ReadWriteOrder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/**
 * Shared methods of the tests of semaphores and read-write locks.
 *
 * @since 0.1
 */
public interface PermitContract extends GrantContract {

  /** The longest delay through a lost message, one second. */
  Duration SECOND = Duration.ofSeconds(1);

  /** The semaphore or lock of the test. */
  String NAME = "contract/seats {42}";

  /** Connects the observing client, before the time of a test runs. */
  @BeforeEach
  default void connectWatcher() {
    info();
  }

  /** Returns the semaphore of the test. */
  default DistributedSemaphore semaphore(Sluice client, int permits, LockOptions options) {
    return client.semaphore(NAME, permits, options);
  }

  /** Returns the fair read-write lock of the test. */
  default DistributedReadWriteLock lock(Sluice client, LockOptions options) {
    return client.readWriteLock(NAME, options, ReadWriteOrder.FAIR);
  }

  /** Acquires a free lock or unit, which must succeed. */
  default Lease take(DistributedSemaphore semaphore, int permits) {
    return inTime(() -> semaphore.tryAcquire(permits), "too few permits are free");
  }

  /** Acquires a free lock or unit, which must succeed. */
  default Lease take(LeaseLock lock) {
    return inTime(lock::tryAcquire, "the lock is not free");
  }

  /** Starts to wait, without a thread. */
  default CompletableFuture<Lease> queue(DistributedSemaphore semaphore, int permits) {
    return semaphore.async().acquire(permits, AGES).toCompletableFuture();
  }

  /** Starts to wait, without a thread. */
  default CompletableFuture<Lease> queue(LeaseLock lock) {
    return lock.async().acquire(AGES).toCompletableFuture();
  }

  /** Waits until the store has the ticket of a client, or the wait has ended. */
  default CompletableFuture<Lease> queued(Sluice client, CompletableFuture<Lease> waiting) {
    until(
        "the ticket is in the queue",
        () ->
            waiting.isDone()
                || info().waiters().stream().anyMatch(w -> w.client().equals(client.clientId())));
    return waiting;
  }

  /** The number of units of a client, according to the store. */
  default int held(Sluice client) {
    return info().holders().stream()
        .filter(h -> h.client().equals(client.clientId()))
        .mapToInt(PermitInfo.Holder::permits)
        .sum();
  }

  /** {@return the store's information} */
  default PermitInfo info() {
    return watcher().inspect().permits(NAME);
  }

  /** Checks that the store has neither a holder nor a waiter. */
  default void assertNothingLeft() {
    PermitInfo info = info();
    assertThat(info.holders()).as("holders").isEmpty();
    assertThat(info.waiters()).as("waiters").isEmpty();
  }
}
