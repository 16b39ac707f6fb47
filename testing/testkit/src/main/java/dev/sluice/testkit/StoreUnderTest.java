package dev.sluice.testkit;

import dev.sluice.SluiceBuilder;
import dev.sluice.spi.Backend;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The store of a contract, with all differences between backends. A fresh one, empty, for each
 * test.
 *
 * @since 0.1
 */
public interface StoreUnderTest extends AutoCloseable {

  /**
   * Opens a new connection, for another process.
   *
   * @return the backend; the contract closes it
   */
  Backend connect();

  /**
   * Gives clients the clock of this store, if it differs from the JVM's.
   *
   * @param builder settings of a client
   */
  default void configure(SluiceBuilder builder) {}

  /**
   * Moves time for the store and its clients. The default waits, a millisecond longer than needed,
   * by which the clock of a server may step back. A store whose clock can be held moves it instead.
   *
   * @param time how much
   */
  default void pass(Duration time) {
    long end = System.nanoTime() + time.plusMillis(1).toNanos();
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** {@return the clock that {@link #pass} moves, in nanoseconds from some moment} */
  default long nanos() {
    return System.nanoTime();
  }

  /** Deletes all data of the store, as by a flush. */
  void loseData();

  /**
   * Returns whether all data of a name is deleted at the latest when the retention after its last
   * use has passed.
   *
   * @param name a lock that has no holder and no waiter any more
   * @return true if all of it is deleted, or will expire in time
   */
  boolean forgetsInTime(String name);

  /**
   * Returns whether a read-write lock may serve writers first. A store that grants in the order in
   * which processes came refuses that order immediately, and its tests check the refusal.
   *
   * @return true unless it may not
   */
  default boolean servesWritersFirst() {
    return true;
  }

  /**
   * Returns whether a waiting ticket may request more units while it waits. Where it may not, a
   * process whose callers come while it waits gets a grant for each of them.
   *
   * @return true unless it may not
   */
  default boolean growsTickets() {
    return true;
  }

  /** {@return the time that a test waits for other threads before it fails} */
  default Duration patience() {
    return Duration.ofSeconds(60);
  }

  /** {@return the number of acquires and releases that reveals a leak in this store} */
  default int many() {
    return 20_000;
  }

  /** Stops the store. */
  @Override
  default void close() {}
}
