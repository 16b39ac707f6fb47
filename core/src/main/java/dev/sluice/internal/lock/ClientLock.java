package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.lock.AsyncLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.LockTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock as callers use it: the two forms of waiting over one {@link GrantCoordinator}. Not final,
 * because {@link ClientMutex} adds what only a lock of a single unit can do.
 */
class ClientLock implements LeaseLock {

  /** The number of checks before a thread parks, once it was woken and found the lock taken. */
  private static final int SPINS = 200;

  final GrantEngine engine;
  final GrantStore store;
  final String name;
  private final LockOptions options;
  private final UnitRequest unitRequest;

  ClientLock(GrantEngine engine, String name, LockOptions options, UnitRequest unitRequest) {
    this.engine = engine;
    this.store = engine.store;
    this.name = name;
    this.options = options;
    this.unitRequest = unitRequest;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public Optional<Lease> tryAcquire() {
    ObserverCall watch = watch();
    try {
      LocalLease lease = askOnce();
      if (watch != null) {
        watch.end(lease == null ? Outcome.BUSY : lease);
      }
      return Optional.ofNullable(lease);
    } catch (RuntimeException e) {
      throw watched(watch, e);
    }
  }

  private @Nullable ObserverCall watch() {
    return ObserverCall.start(engine.observer, name, options);
  }

  private static <E extends Throwable> E watched(@Nullable ObserverCall watch, E failure) {
    if (watch != null) {
      watch.end(new Outcome.Failed(failure));
    }
    return failure;
  }

  private @Nullable LocalLease askOnce() {
    LocalLease taken = takeNow();
    return taken != null ? ours(taken) : answer(question());
  }

  /**
   * Asks once. Several locks are asked before the first answer is waited for, so that all requests
   * leave together.
   *
   * @return waits for the answer; for the same thread, once
   */
  Supplier<@Nullable LocalLease> ask() {
    LocalLease taken = takeNow();
    if (taken != null) {
      return () -> ours(taken);
    }
    Waiter.OfThread waiter = question();
    return () -> answer(waiter);
  }

  private Waiter.OfThread question() {
    Waiter.OfThread waiter = new Waiter.OfThread(options, unitRequest, true, store.ticker.nanos());
    join(waiter);
    return waiter;
  }

  private @Nullable LocalLease answer(Waiter.OfThread waiter) {
    boolean interrupted = false;
    Outcome outcome;
    while ((outcome = waiter.outcome()) == null) {
      store.scheduler.park(this, Long.MAX_VALUE); // ends with the request timeout
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return leaseOf(outcome);
  }

  @Override
  public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    try {
      return Optional.of(acquire(wait));
    } catch (LockTimeoutException e) {
      return Optional.empty();
    }
  }

  @Override
  public Lease acquire(Duration wait) throws InterruptedException {
    long waitNanos = Durations.checkWait(wait);
    ObserverCall watch = watch();
    try {
      LocalLease lease = acquireWithin(waitNanos);
      if (watch != null) {
        watch.end(lease);
      }
      return lease;
    } catch (RuntimeException e) {
      throw watched(watch, e);
    } catch (InterruptedException e) {
      throw watched(watch, e);
    }
  }

  private LocalLease acquireWithin(long waitNanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw interrupted();
    }
    LocalLease taken = takeNow();
    if (taken != null) {
      return ours(taken);
    }
    boolean once = waitNanos == 0;
    long start = store.ticker.nanos();
    Waiter.OfThread waiter = new Waiter.OfThread(options, unitRequest, once, start);
    GrantCoordinator coordinator = join(waiter);
    LocalLease lease =
        leaseOf(
            await(coordinator, waiter, start + (once ? Durations.FOREVER.toNanos() : waitNanos)));
    if (lease == null) {
      throw busy();
    }
    return lease;
  }

  private Outcome await(GrantCoordinator coordinator, Waiter.OfThread waiter, long until)
      throws InterruptedException {
    int spins = 0;
    while (true) {
      Outcome outcome = waiter.outcome();
      if (outcome != null) {
        return outcome;
      }
      boolean called = waiter.called; // read once: who was called must arrive before he spins
      if (called && spins == 0) {
        coordinator.arrive(waiter);
      }
      if (called && spins++ < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      long left = until - store.ticker.nanos();
      if (left <= 0 || Thread.interrupted()) {
        return giveUp(coordinator, waiter, left <= 0);
      }
      store.scheduler.park(this, left);
    }
  }

  /**
   * The wait has ended; a lease that came at the last moment counts, unless the thread was
   * interrupted.
   */
  private Outcome giveUp(GrantCoordinator coordinator, Waiter.OfThread waiter, boolean timedOut)
      throws InterruptedException {
    RuntimeException reason = coordinator.leave(waiter);
    Outcome outcome = reason != null ? new Outcome.Failed(reason) : waiter.awaitOutcome();
    if (timedOut) {
      return outcome;
    }
    if (outcome instanceof LocalLease lease) {
      lease.releaseAsync();
    }
    throw interrupted();
  }

  @Override
  public void run(Duration wait, Runnable task) throws InterruptedException {
    requireNonNull(task, "task must not be null");
    LocalLease lease = (LocalLease) acquire(wait);
    boolean done = false;
    try {
      task.run();
      done = true;
    } finally {
      end(lease, done);
    }
  }

  @Override
  public <T> T call(Duration wait, Callable<T> task) throws Exception {
    requireNonNull(task, "task must not be null");
    LocalLease lease = (LocalLease) acquire(wait);
    boolean done = false;
    try {
      T value = task.call();
      done = true;
      return value;
    } finally {
      end(lease, done);
    }
  }

  private static void end(LocalLease lease, boolean done) {
    if (!lease.release() && done) {
      throw lease.lost();
    }
  }

  @Override
  public LockStats stats() {
    return engine.coordinator(name).stats();
  }

  @Override
  public AsyncLock async() {
    return new AsyncView();
  }

  @Override
  public Lock asReentrantLock() {
    return new ReentrantView(this, unitRequest, engine.holds);
  }

  /** The name of the lock in messages. */
  String what() {
    return unitRequest.of(name);
  }

  /** Waits without a bound, for the re-entrant view. */
  Lease acquireForever() throws InterruptedException {
    return acquire(Durations.FOREVER);
  }

  private @Nullable LocalLease takeNow() {
    return engine
        .coordinator(name)
        .takeNow(options, options.isThreadBound() ? Thread.currentThread() : null, unitRequest);
  }

  /** {@return the caller's position in the queue} */
  private GrantCoordinator join(Waiter waiter) {
    while (true) {
      GrantCoordinator coordinator = engine.coordinator(name);
      if (coordinator.join(waiter)) {
        return coordinator;
      }
      // it was just retired: waiting for the thread that did so is not needed
      engine.forget(coordinator);
    }
  }

  /** The lease that this thread gets. */
  private static LocalLease ours(LocalLease lease) {
    lease.taker = Thread.currentThread();
    return lease;
  }

  private @Nullable LocalLease leaseOf(Outcome outcome) {
    if (outcome instanceof LocalLease lease) {
      return ours(lease);
    }
    if (outcome instanceof Outcome.Failed failed) {
      throw failureOf(failed);
    }
    return null;
  }

  private RuntimeException failureOf(Outcome.Failed failed) {
    return failed.failure() instanceof LockTimeoutException timeout
        ? timeout
        : Failures.forCaller(unitRequest.of(name), failed.failure());
  }

  private LockTimeoutException busy() {
    return new LockTimeoutException(
        unitRequest.of(name) + ": " + engine.coordinator(name).whyRefused(unitRequest));
  }

  private InterruptedException interrupted() {
    return new InterruptedException("interrupted while waiting for " + unitRequest.of(name));
  }

  /** A caller that waits as a stage. */
  private final class OfStage extends Waiter {
    final CompletableFuture<Optional<Lease>> stage = new CompletableFuture<>();
    private final @Nullable ObserverCall watch;

    /**
     * The caller's position in the queue; null before it joined, and if it was served immediately.
     */
    private volatile @Nullable GrantCoordinator coordinator;

    private volatile TimerQueue.@Nullable Entry timeout;
    private volatile boolean finished;

    OfStage(
        LockOptions options, UnitRequest unitRequest, boolean watched, boolean once, long since) {
      super(options, unitRequest, once, since);
      this.watch = watched ? watch() : null;
    }

    void inLine(GrantCoordinator joined) {
      coordinator = joined;
    }

    /**
     * Called once the caller is in the queue, because a wait that ended earlier would never be
     * noticed.
     */
    void giveUpAt(long moment) {
      TimerQueue.Entry planned = store.timers.at(moment, this::giveUp);
      timeout = planned;
      if (finished) {
        planned.cancel();
      }
    }

    @Override
    void finish(Outcome outcome) {
      finished = true;
      TimerQueue.Entry planned = timeout;
      if (planned != null) {
        planned.cancel();
      }
      if (watch != null) {
        watch.end(outcome);
      }
      try {
        store.callbacks.execute(() -> complete(outcome));
      } catch (Throwable refused) {
        complete(outcome); // a lease that no caller receives would be renewed for ever
      }
    }

    private void complete(Outcome outcome) {
      if (outcome instanceof LocalLease lease) {
        if (!stage.complete(Optional.of(lease))) {
          lease.releaseAsync(); // cancelled by the caller
        }
      } else if (outcome instanceof Outcome.Failed failed) {
        stage.completeExceptionally(failureOf(failed));
      } else {
        stage.complete(Optional.empty());
      }
    }

    void giveUp() {
      GrantCoordinator joined = coordinator;
      RuntimeException reason = joined == null ? null : joined.leave(this);
      if (reason != null) {
        finish(new Outcome.Failed(reason));
      }
    }
  }

  /** Acquires as {@link #ask()}, without a waiting thread. */
  CompletableFuture<Optional<Lease>> askLater() {
    return enter(false, true, 0);
  }

  private CompletableFuture<Optional<Lease>> enter(boolean watched, boolean once, long waitNanos) {
    store.checkOpen();
    long start = store.ticker.nanos();
    OfStage waiter = new OfStage(options, unitRequest, watched, once, start);
    LocalLease taken = takeNow();
    if (taken != null) {
      waiter.finish(taken);
      return waiter.stage;
    }
    waiter.inLine(join(waiter));
    if (!once) {
      waiter.giveUpAt(start + waitNanos);
    }
    waiter.stage.whenComplete(
        (lease, failure) -> {
          if (failure != null) { // cancelled, or ended by the caller in another way
            waiter.giveUp();
          }
        });
    return waiter.stage;
  }

  private final class AsyncView implements AsyncLock {
    @Override
    public CompletionStage<Optional<Lease>> tryAcquire() {
      return ClientLock.this.enter(true, true, 0);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(Duration wait) {
      return LeaseStages.tried(enter(wait), Lease::releaseAsync);
    }

    @Override
    public CompletionStage<Lease> acquire(Duration wait) {
      return LeaseStages.required(enter(wait), ClientLock.this::busy, Lease::releaseAsync);
    }

    private CompletableFuture<Optional<Lease>> enter(Duration wait) {
      long waitNanos = Durations.checkWait(wait);
      return ClientLock.this.enter(true, waitNanos == 0, waitNanos);
    }
  }
}
