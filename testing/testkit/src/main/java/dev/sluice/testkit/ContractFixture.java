package dev.sluice.testkit;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.spi.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Clients, clocks and threads that the tests of every contract are written with. */
public abstract class ContractFixture {

  /** A wait that no test outlives. */
  protected static final Duration AGES = Duration.ofSeconds(60);

  private @Nullable StoreUnderTest store;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<FlakyBackend> lines = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /** Made by JUnit for each test. */
  protected ContractFixture() {}

  /**
   * Starts the store for one test.
   *
   * @return an empty store
   * @throws Exception if it does not start
   */
  protected abstract StoreUnderTest openStore() throws Exception;

  /**
   * Opens the store.
   *
   * @throws Exception if it does not start
   */
  @BeforeEach
  public final void start() throws Exception {
    store = openStore();
  }

  /**
   * Closes clients, then the store.
   *
   * @throws Exception if something does not close
   */
  @AfterEach
  public final void stop() throws Exception {
    for (Thread thread : threads) {
      thread.interrupt();
    }
    lines.forEach(FlakyBackend::heal);
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
    if (store != null) { // null if the store could not be opened, or is not on this machine
      store.close();
    }
  }

  /** {@return the store of this test} */
  protected final StoreUnderTest store() {
    return requireNonNull(store, "the store is opened before each test");
  }

  /** {@return a client of its own, as of another process} */
  protected final Sluice client() {
    return client(connect());
  }

  /**
   * A client over a backend.
   *
   * @param backend its line to the store
   * @return an open client
   */
  protected final Sluice client(Backend backend) {
    return client(backend, builder -> {});
  }

  /**
   * A client with settings of its own.
   *
   * @param backend its line to the store
   * @param settings changes the builder
   * @return an open client
   */
  protected final Sluice client(Backend backend, Consumer<Sluice.Builder> settings) {
    Sluice.Builder builder = Sluice.builder().backend(backend);
    store().configure(builder);
    settings.accept(builder);
    Sluice client = builder.build();
    open.add(client);
    return client;
  }

  /** {@return a line that a test may spoil} */
  protected final FlakyBackend line() {
    FlakyBackend line = new FlakyBackend(connect());
    lines.add(line);
    return line;
  }

  /** {@return a new connection, closed after the test} */
  protected final Backend connect() {
    Backend backend = store().connect();
    open.add(backend);
    return backend;
  }

  /**
   * Waits for other threads, without letting the store's time pass where it can be held.
   *
   * @param what the condition in words
   * @param condition what must come true
   */
  protected final void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > store().patience().toNanos()) {
        throw fail("waited in vain: " + what);
      }
      LockSupport.parkNanos(500_000);
    }
  }

  /**
   * Lets time pass until a condition holds. The bound is the store's time; a real store gets as
   * much again, and some seconds, because other work may hold up this JVM.
   *
   * @param what the condition in words
   * @param bound the longest time in which it must come true
   * @param condition what must come true
   */
  protected final void within(String what, Duration bound, BooleanSupplier condition) {
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

  /** Something to do on another thread. */
  @FunctionalInterface
  protected interface Task<T> {

    /**
     * Does it.
     *
     * @return the result
     * @throws Exception if it fails
     */
    T run() throws Exception;
  }

  /**
   * Runs a task on a thread of its own, which is interrupted when the test ends.
   *
   * @param task what to do
   * @param <T> type of the result
   * @return the result to come
   */
  protected final <T> Running<T> start(Task<T> task) {
    FutureTask<T> future = new FutureTask<>(task::run);
    Thread thread = new Thread(future, "contract-" + threads.size());
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
    return new Running<>(thread, future);
  }

  /**
   * A task on another thread.
   *
   * @param thread the thread
   * @param future its result
   * @param <T> type of the result
   */
  protected record Running<T>(Thread thread, Future<T> future) {

    /**
     * Waits for the result.
     *
     * @return the result
     * @throws Exception what the task threw, wrapped, or a timeout
     */
    public T result() throws Exception {
      return future.get(60, TimeUnit.SECONDS);
    }
  }

  /**
   * Makes a failure.
   *
   * @param what the reason
   * @return to be thrown
   */
  protected static AssertionError fail(String what) {
    return new AssertionError(what);
  }
}
