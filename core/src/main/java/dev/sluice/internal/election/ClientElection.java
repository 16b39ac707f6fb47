package dev.sluice.internal.election;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Durations;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.ElectionListener;
import dev.sluice.lock.LeaderCallback;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.StepDown;
import dev.sluice.lock.Term;
import dev.sluice.spi.ClientParts;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One candidate: a thread that waits for the lock, leads, and stands again. */
final class ClientElection implements LeaderElection {
  private static final System.Logger LOG = System.getLogger("dev.sluice.lock");
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final Duration MAX_CLOSE_TIME = Duration.ofSeconds(5);

  private final Elections elections;
  private final ClientParts parts;
  private final DistributedLock lock;
  private final List<ElectionListener> listeners = new CopyOnWriteArrayList<>();
  private volatile @Nullable LocalTerm term;
  private volatile boolean closed;
  // guarded by this
  private @Nullable Thread thread;
  private CompletableFuture<?> told = CompletableFuture.completedFuture(null);

  ClientElection(Elections elections, ClientParts parts, DistributedLock lock) {
    this.elections = elections;
    this.parts = parts;
    this.lock = lock;
  }

  @Override
  public String name() {
    return lock.name();
  }

  @Override
  public synchronized LeaderElection lead(LeaderCallback callback) {
    requireNonNull(callback, "callback must not be null");
    if (closed || thread != null) {
      throw new IllegalStateException(
          "election " + Names.quoted(name()) + " " + (closed ? "is closed" : "was begun before"));
    }
    elections.began(this);
    Thread candidate = new Thread(() -> stand(callback), "sluice-leader-" + name());
    candidate.setDaemon(true);
    thread = candidate;
    candidate.start();
    return this;
  }

  private void stand(LeaderCallback callback) {
    int failures = 0;
    while (!closed) {
      try {
        Lease lease = lock.acquire(Durations.FOREVER);
        failures = serve(lease, callback) ? 0 : failures + 1;
      } catch (InterruptedException e) {
        continue; // closed, or nothing that concerns us
      } catch (RuntimeException e) { // what does not pass by itself: data that are not ours
        failures++;
        fail(e);
      }
      pause(failures);
    }
  }

  /** Leads for one term; returns whether the callback succeeded. */
  private boolean serve(Lease lease, LeaderCallback callback) {
    LocalTerm mine = new LocalTerm(lease, parts.callbacks());
    term = mine;
    if (closed) { // stop() may have missed it
      mine.end(StepDown.CLOSED);
    }
    notifyListeners(listener -> listener.elected(mine));
    Throwable failure = null;
    try {
      if (mine.isLeader()) {
        callback.lead(mine);
      }
    } catch (Throwable e) { // for every failure: the candidate must live on
      failure = e instanceof InterruptedException && mine.isOver() ? null : e;
    } finally {
      mine.callbackEnded();
    }
    boolean content = failure == null || mine.isOver();
    StepDown why = mine.end(failure == null ? StepDown.RETURNED : StepDown.FAILED);
    term = null;
    lease.release();
    if (failure != null) {
      fail(failure);
    }
    notifyListeners(listener -> listener.steppedDown(mine, why));
    return content;
  }

  /**
   * A former leader lets other candidates go first, so that a callback that fails does not fail in
   * a tight loop.
   */
  private void pause(int failures) {
    long longest =
        failures == 0
            ? FIRST_PAUSE_NANOS
            : Math.min(MAX_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures, 20));
    long jitter = ThreadLocalRandom.current().nextLong(longest / 4);
    long until = parts.ticker().nanos() + longest - jitter;
    for (long left = until - parts.ticker().nanos();
        left > 0 && !closed;
        left = until - parts.ticker().nanos()) {
      parts.scheduler().park(this, left);
      if (Thread.interrupted() && !closed) {
        continue; // not a signal of the caller
      }
    }
  }

  private void fail(Throwable failure) {
    if (listeners.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "election " + Names.quoted(name()) + ": the leader failed",
          failure);
    }
    notifyListeners(listener -> listener.failed(failure));
  }

  private synchronized void notifyListeners(Consumer<ElectionListener> news) {
    for (ElectionListener listener : listeners) {
      told =
          told.thenRunAsync(() -> news.accept(listener), parts.callbacks())
              .exceptionally(
                  e -> {
                    LOG.log(
                        System.Logger.Level.WARNING,
                        "election " + Names.quoted(name()) + ": a listener failed",
                        e);
                    return null;
                  });
    }
  }

  @Override
  public boolean isLeader() {
    LocalTerm present = term;
    return present != null && present.isLeader();
  }

  @Override
  public Optional<Term> term() {
    LocalTerm present = term;
    return present != null && present.isLeader() ? Optional.of(present) : Optional.empty();
  }

  @Override
  public LockInfo info() {
    return lock.info();
  }

  @Override
  public LeaderElection onChange(ElectionListener listener) {
    listeners.add(requireNonNull(listener, "listener must not be null"));
    return this;
  }

  /** Ends the term and the wait, without waiting for the callback. */
  void stop() {
    Thread candidate;
    synchronized (this) {
      closed = true;
      candidate = thread;
    }
    LocalTerm present = term;
    if (present != null) {
      present.end(StepDown.CLOSED);
    }
    if (candidate != null && present == null) {
      candidate.interrupt();
    }
  }

  @Override
  public void close() {
    closeUntil(System.nanoTime() + MAX_CLOSE_TIME.toNanos());
  }

  /**
   * Closes, and waits for the callback.
   *
   * @param until end of the wait, by {@link System#nanoTime()}
   */
  void closeUntil(long until) {
    stop();
    Thread candidate;
    synchronized (this) {
      candidate = thread;
    }
    elections.ended(this);
    if (candidate == null || candidate == Thread.currentThread()) {
      return;
    }
    try {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      candidate.join(Math.max(1, left)); // zero would wait for ever
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
