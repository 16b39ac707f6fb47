package dev.sluice.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/**
 * Shared methods of the tests of locks.
 *
 * @since 0.1
 */
public interface LockContract extends GrantContract {

  /** The longest delay through a lost message. */
  Duration POLL = Duration.ofNanos(LockProtocol.POLL_MICROS * 1000);

  /** The lock of the test. */
  String NAME = "contract/seat {42}";

  /** Connects the observing client, before the time of a test runs. */
  @BeforeEach
  default void connectWatcher() {
    info();
  }

  /** Acquires a lock that must be free. */
  default Lease take(Sluice client, LockOptions options) {
    return inTime(() -> lock(client, options).tryAcquire(), "the lock is not free");
  }

  /** Starts to wait for the lock, without a thread. */
  default CompletableFuture<Lease> queue(Sluice client, LockOptions options) {
    return lock(client, options).async().acquire(AGES).toCompletableFuture();
  }

  /**
   * Starts to wait for the lock, and waits until the store has the ticket. Where this machine stood
   * still until the lease before was over, the wait is over instead.
   */
  default CompletableFuture<Lease> enqueue(Sluice client, LockOptions options) {
    CompletableFuture<Lease> waiting = queue(client, options);
    until("the ticket is in the queue", () -> waits(client) || waiting.isDone());
    return waiting;
  }

  /** Returns whether the store has a ticket of a client. */
  default boolean waits(Sluice client) {
    return info().waiters().stream().anyMatch(w -> w.client().equals(client.clientId()));
  }

  /** Returns whether a client holds the lock, according to the store. */
  default boolean holds(Sluice client) {
    return info().holder().filter(h -> h.client().equals(client.clientId())).isPresent();
  }

  /** {@return the store's information about the lock of the test} */
  default LockInfo info() {
    return info(watcher(), NAME);
  }

  /** Waits for servers that have to receive an already confirmed change, if the store has such. */
  default void settle() {}

  /** Checks that the store has neither a holder nor a waiter. */
  default void assertNothingLeft() {
    settle();
    LockInfo info = info();
    assertThat(info.holder()).as("holder").isEmpty();
    assertThat(info.waiters()).as("waiters").isEmpty();
  }

  /** Returns a lock of the test's name. */
  default LeaseLock lock(Sluice client, LockOptions options) {
    return lock(client, NAME, options);
  }

  /** The number of wake-ups that the store sent over these connections. */
  default long wakeUps(List<FlakyBackend> lines) {
    return lines.stream()
        .flatMap(line -> line.messages().stream())
        .filter(message -> message.kind() == LockMessage.Kind.GRANTED)
        .count();
  }

  // ---- what else is a lock overrides these ----

  /** Creates the tested lock. */
  default LeaseLock lock(Sluice client, String name, LockOptions options) {
    return client.lock(name, options);
  }

  /** Reads its information. */
  default LockInfo info(Sluice client, String name) {
    return client.inspect().lock(name);
  }

  /** Lists names. */
  default List<String> names(Sluice client) {
    return client.inspect().lockNames(1000).names();
  }

  /** {@return the name of the lock in messages} */
  default String noun() {
    return "lock";
  }
}
