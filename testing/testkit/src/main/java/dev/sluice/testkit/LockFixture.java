package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** Words that the tests of the lock contract are written in. */
public abstract class LockFixture extends ContractFixture {

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

  /** The lock of the test. */
  protected static final String NAME = "contract/seat {42}";

  private @Nullable Sluice watcher;

  /** For subclasses. */
  protected LockFixture() {}

  /** Connects who looks, before the time of a test runs. */
  @BeforeEach
  public final void connectWatcher() {
    info();
  }

  /**
   * Takes a lock that must be free.
   *
   * @param client who
   * @param options how
   * @return the lease
   */
  protected final Lease take(Sluice client, LockOptions options) {
    return lock(client, options).tryAcquire().orElseThrow(() -> fail("the lock is not free"));
  }

  /**
   * Starts to wait for the lock, without a thread.
   *
   * @param client who
   * @param options how
   * @return the lease to come
   */
  protected final CompletableFuture<Lease> queue(Sluice client, LockOptions options) {
    return lock(client, options).async().acquire(AGES).toCompletableFuture();
  }

  /**
   * Starts to wait for the lock, and waits until the store has the ticket.
   *
   * @param client who
   * @param options how
   * @return the lease to come
   */
  protected final CompletableFuture<Lease> enqueue(Sluice client, LockOptions options) {
    CompletableFuture<Lease> waiting = queue(client, options);
    until("the ticket is in the queue", () -> waits(client));
    return waiting;
  }

  /**
   * Whether the store has a ticket of a client.
   *
   * @param client who
   * @return true if it waits
   */
  protected final boolean waits(Sluice client) {
    return info().waiters().stream().anyMatch(w -> w.client().equals(client.clientId()));
  }

  /**
   * Whether a client holds the lock, as the store sees it.
   *
   * @param client who
   * @return true if the grant is its own
   */
  protected final boolean holds(Sluice client) {
    return info().holder().filter(h -> h.client().equals(client.clientId())).isPresent();
  }

  /** {@return what the store knows about the lock of the test} */
  protected final LockInfo info() {
    if (watcher == null) {
      watcher = client();
    }
    return info(watcher, NAME);
  }

  /** Waits for servers that are to hear of what is answered already, where there are such. */
  protected void settle() {}

  /** Checks that the store knows neither a holder nor a waiter. */
  protected final void assertNothingLeft() {
    settle();
    LockInfo info = info();
    assertThat(info.holder()).as("holder").isEmpty();
    assertThat(info.waiters()).as("waiters").isEmpty();
  }

  /**
   * Waits for a lease without letting time pass where it can be held.
   *
   * @param waiting the lease to come
   * @return the lease
   */
  protected final Lease granted(CompletableFuture<Lease> waiting) {
    until("the lock is granted", waiting::isDone);
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
    within("the lock is granted", bound, waiting::isDone);
    return waiting.join();
  }

  /**
   * Looks up a lock of the test's name.
   *
   * @param client who
   * @param options how
   * @return the lock
   */
  protected final DistributedLock lock(Sluice client, LockOptions options) {
    return lock(client, NAME, options);
  }

  // ---- what else is a lock overrides these ----

  /**
   * Makes what is tested.
   *
   * @param client who
   * @param name its name
   * @param options how
   * @return the lock
   */
  protected DistributedLock lock(Sluice client, String name, LockOptions options) {
    return client.lock(name, options);
  }

  /**
   * Looks at it.
   *
   * @param client who looks
   * @param name its name
   * @return what the store knows
   */
  protected LockInfo info(Sluice client, String name) {
    return client.lockInfo(name);
  }

  /**
   * Asks for names.
   *
   * @param client who asks
   * @return names that the store knows
   */
  protected List<String> names(Sluice client) {
    return client.lockNames(1000);
  }

  /** {@return what messages call it} */
  protected String noun() {
    return "lock";
  }
}
