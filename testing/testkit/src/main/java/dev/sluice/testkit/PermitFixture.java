package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.ReadWriteOrder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** Words that the tests of semaphores and read-write locks are written in. */
public abstract class PermitFixture extends ContractFixture {

  /** A lease that no test outlives. */
  protected static final LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));

  /** The TTL of leases that must lapse within a test. */
  protected static final Duration SHORT_TTL = Duration.ofMillis(600);

  /** A lease that lapses soon. */
  protected static final LockOptions FIXED = LockOptions.fixed(SHORT_TTL);

  /** A lease that lapses soon unless it is renewed. */
  protected static final LockOptions RENEWING = LockOptions.renewing(SHORT_TTL);

  /**
   * A lease that must outlive its TTL in a test, and a second in which the machine does nothing.
   */
  protected static final LockOptions STEADY = LockOptions.renewing(SHORT_TTL.multipliedBy(4));

  /** A second: the longest that a lost message may cost. */
  protected static final Duration SECOND = Duration.ofSeconds(1);

  /** The semaphore or lock of the test. */
  protected static final String NAME = "contract/seats {42}";

  private @Nullable Sluice watcher;

  /** For subclasses. */
  protected PermitFixture() {}

  /** Connects who looks, before the time of a test runs. */
  @BeforeEach
  public final void connectWatcher() {
    info();
  }

  /**
   * Looks up the semaphore of the test.
   *
   * @param client who
   * @param permits how many it has
   * @param options how they are held
   * @return the semaphore
   */
  protected static DistributedSemaphore semaphore(Sluice client, int permits, LockOptions options) {
    return client.semaphore(NAME, permits, options);
  }

  /**
   * Looks up the fair read-write lock of the test.
   *
   * @param client who
   * @param options how it is held
   * @return the lock
   */
  protected static DistributedReadWriteLock lock(Sluice client, LockOptions options) {
    return client.readWriteLock(NAME, options, ReadWriteOrder.FAIR);
  }

  /**
   * Takes what must be free.
   *
   * @param semaphore of what
   * @param permits how many
   * @return the lease
   */
  protected static Lease take(DistributedSemaphore semaphore, int permits) {
    return semaphore.tryAcquire(permits).orElseThrow(() -> fail("too few permits are free"));
  }

  /**
   * Takes what must be free.
   *
   * @param lock of what
   * @return the lease
   */
  protected static Lease take(DistributedLock lock) {
    return lock.tryAcquire().orElseThrow(() -> fail("the lock is not free"));
  }

  /**
   * Starts to wait, without a thread.
   *
   * @param semaphore for what
   * @param permits how many
   * @return the lease to come
   */
  protected static CompletableFuture<Lease> queue(DistributedSemaphore semaphore, int permits) {
    return semaphore.async(permits).acquire(AGES).toCompletableFuture();
  }

  /**
   * Starts to wait, without a thread.
   *
   * @param lock for what
   * @return the lease to come
   */
  protected static CompletableFuture<Lease> queue(DistributedLock lock) {
    return lock.async().acquire(AGES).toCompletableFuture();
  }

  /**
   * Waits until the store has the ticket of a client.
   *
   * @param client who waits
   * @param waiting the lease to come
   * @return the same
   */
  protected final CompletableFuture<Lease> queued(Sluice client, CompletableFuture<Lease> waiting) {
    until(
        "the ticket is in the queue",
        () -> info().waiters().stream().anyMatch(w -> w.client().equals(client.clientId())));
    return waiting;
  }

  /**
   * How many units a client has, as the store sees it.
   *
   * @param client who
   * @return the sum of its grants
   */
  protected final int held(Sluice client) {
    return info().holders().stream()
        .filter(h -> h.client().equals(client.clientId()))
        .mapToInt(PermitInfo.Holder::permits)
        .sum();
  }

  /** {@return what the store knows} */
  protected final PermitInfo info() {
    if (watcher == null) {
      watcher = client();
    }
    return watcher.permitInfo(NAME);
  }

  /** Checks that the store knows neither a holder nor a waiter. */
  protected final void assertNothingLeft() {
    PermitInfo info = info();
    assertThat(info.holders()).as("holders").isEmpty();
    assertThat(info.waiters()).as("waiters").isEmpty();
  }

  /**
   * Waits for a lease without letting time pass where it can be held.
   *
   * @param waiting the lease to come
   * @return the lease
   */
  protected final Lease granted(CompletableFuture<Lease> waiting) {
    until("it is granted", waiting::isDone);
    return waiting.join();
  }

  /**
   * Lets time pass until a lease has come.
   *
   * @param waiting the lease to come
   * @param bound the longest time
   * @return the lease
   */
  protected final Lease granted(CompletableFuture<Lease> waiting, Duration bound) {
    within("it is granted", bound, waiting::isDone);
    return waiting.join();
  }
}
