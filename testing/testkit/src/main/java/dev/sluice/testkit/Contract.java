package dev.sluice.testkit;

import dev.sluice.Sluice;
import dev.sluice.SluiceBuilder;
import dev.sluice.spi.Backend;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Promises as tests for any store. Each group of promises is an interface whose default methods are
 * the tests. The test of a store extends {@link ContractFixture} and lists the groups that the
 * store promises:
 *
 * <pre>{@code
 * class MyLockContractTest extends ContractFixture implements Exclusion, Fencing, OwnGrant {
 *   @Override
 *   protected StoreUnderTest openStore() {
 *     return new MyStore();
 *   }
 * }
 * }</pre>
 *
 * <p>A group that a test does not list is not promised. The name of a test begins with the promise
 * that it checks, where that has a name.
 *
 * @since 0.1
 */
public interface Contract {

  /** A wait that outlasts every test. */
  Duration AGES = Duration.ofSeconds(60);

  /** {@return the store of this test} */
  StoreUnderTest store();

  /**
   * Returns an object for the duration of the test, one of each type.
   *
   * @param type which
   * @param maker makes it on the first call
   * @param <T> its type
   * @return the same object on each call
   */
  <T> T kept(Class<T> type, Supplier<T> maker);

  /**
   * Returns a client with separate settings.
   *
   * @param backend its line to the store
   * @param settings changes the builder
   * @return an open client
   */
  Sluice client(Backend backend, Consumer<SluiceBuilder> settings);

  /** {@return a backend that can be given faults} */
  FlakyBackend line();

  /** {@return a new connection, closed after the test} */
  Backend connect();

  /**
   * Runs a task on a new thread, which is interrupted at the end of the test.
   *
   * @param task what to do
   * @param <T> type of the result
   * @return the result to come
   */
  <T> Running<T> start(Task<T> task);

  /** {@return a new client, for another process} */
  default Sluice client() {
    return client(connect());
  }

  /**
   * Returns a client over a backend.
   *
   * @param backend its line to the store
   * @return an open client
   */
  default Sluice client(Backend backend) {
    return client(backend, builder -> {});
  }

  /** {@return a client that reads the store, the same during a test} */
  default Sluice watcher() {
    return kept(Sluice.class, this::client);
  }

  /**
   * Waits for other threads without moving the store's time, where it can be held.
   *
   * @param what the condition in words
   * @param condition what must come true
   */
  default void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > store().patience().toNanos()) {
        throw new AssertionError("timed out waiting until " + what);
      }
      LockSupport.parkNanos(500_000);
    }
  }

  /**
   * Moves time until a condition holds. The bound is the store's time; a real store gets as much
   * again, and some seconds, because other work may hold up this JVM.
   *
   * @param what the condition in words
   * @param bound the longest time in which it must come true
   * @param condition what must come true
   */
  default void within(String what, Duration bound, BooleanSupplier condition) {
    Duration step = bound.dividedBy(100);
    for (int i = 0; i <= 100; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      store().pass(step);
      LockSupport.parkNanos(500_000);
    }
    until(what + " (within " + bound.toMillis() + "ms)", condition);
  }

  /**
   * Waits for the end of a stage.
   *
   * @param stage what must end
   * @param <T> type of the result
   * @return the result
   */
  default <T> T ended(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** A task for another thread. */
  @FunctionalInterface
  interface Task<T> {

    /**
     * Does it.
     *
     * @return the result
     * @throws Exception if it fails
     */
    T run() throws Exception;
  }

  /**
   * A task on another thread.
   *
   * @param thread the thread
   * @param future its result
   * @param <T> type of the result
   */
  record Running<T>(Thread thread, Future<T> future) {

    /**
     * Waits for the result.
     *
     * @return the result
     * @throws Exception what the task threw, wrapped, or a timeout
     */
    public T result() throws Exception {
      return future.get(180, TimeUnit.SECONDS);
    }
  }
}
