package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Clients, clocks and words that the tests of the lock contract are written in. */
public abstract class LockFixture {

  /** A lease that no test outlives. */
  protected static final LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));

  /** The TTL of leases that must lapse within a test. */
  protected static final Duration SHORT_TTL = Duration.ofMillis(600);

  /** A lease that lapses soon. */
  protected static final LockOptions FIXED = LockOptions.fixed(SHORT_TTL);

  /** A lease that lapses soon unless it is renewed. */
  protected static final LockOptions RENEWING = LockOptions.renewing(SHORT_TTL);

  /** A wait that no test outlives. */
  protected static final Duration AGES = Duration.ofSeconds(60);

  /** The lock of the test. */
  protected static final String NAME = "contract/seat {42}";

  private StoreUnderTest store;
  private @Nullable Sluice watcher;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<FlakyBackend> lines = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /** Made by JUnit for each test. */
  @SuppressWarnings("NullAway.Init") // the store is opened before each test
  protected LockFixture() {}

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
    store.close();
  }

  /** {@return the store of this test} */
  protected final StoreUnderTest store() {
    return store;
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
    store.configure(builder);
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

  private Backend connect() {
    Backend backend = store.connect();
    open.add(backend);
    return backend;
  }

  /**
   * Takes a lock that must be free.
   *
   * @param client who
   * @param options how
   * @return the lease
   */
  protected static Lease take(Sluice client, LockOptions options) {
    return client.lock(NAME, options).tryAcquire().orElseThrow(() -> fail("the lock is not free"));
  }

  /**
   * Starts to wait for the lock, without a thread.
   *
   * @param client who
   * @param options how
   * @return the lease to come
   */
  protected static CompletableFuture<Lease> queue(Sluice client, LockOptions options) {
    return client.lock(NAME, options).async().acquire(AGES).toCompletableFuture();
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
    return watcher.lockInfo(NAME);
  }

  /** Checks that the store knows neither a holder nor a waiter. */
  protected final void assertNothingLeft() {
    LockInfo info = info();
    assertThat(info.holder()).as("holder").isEmpty();
    assertThat(info.waiters()).as("waiters").isEmpty();
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
      if (System.nanoTime() - start > store.patience().toNanos()) {
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
      store.pass(step);
      LockSupport.parkNanos(500_000);
    }
    until(what + " (within " + bound.toMillis() + "ms)", condition);
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

  /**
   * Looks up a lock of the test's name.
   *
   * @param client who
   * @param options how
   * @return the lock
   */
  protected static DistributedLock lock(Sluice client, LockOptions options) {
    return client.lock(NAME, options);
  }
}
