package dev.sluice.cache;

import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest.Aim;
import dev.sluice.spi.CacheValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates the readers of this process that wait for one key. They share the reply of the store,
 * and one load. But a request that was sent before a reader came does not serve that reader, unless
 * the fill proved that nothing was invalidated since. Safe for use by many threads.
 */
final class KeyLoad<K, V> {
  /**
   * The interval at which the store is polled while another process loads, because a message may be
   * lost.
   */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The poll interval while no messages arrive. */
  private static final long DEAF_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The number of refused fills after which a reader loads without storing. */
  private static final int MAX_REFUSALS = 3;

  private enum Doing {
    NOTHING,
    ASKING,
    WAITING,
    LOADING,
    FILLING
  }

  private final KeyLoads<K, V> loads;
  private final CacheStore store;
  private final CacheClient client;
  private final CacheSettings<K, V> settings;
  private final CacheKey at;
  // guarded by this
  private Doing doing = Doing.NOTHING;
  private List<Reader<K, V>> readers = new ArrayList<>(1);
  private List<Reader<K, V>> next = new ArrayList<>(0);
  private boolean woken;
  private boolean dead;

  /** The key of the load under way, if it must end in time for other loads. */
  private @Nullable Reader<K, V> leader;

  /** The load did not end in time, and no reader joins any more. */
  private boolean late;

  private TimerQueue.@Nullable Entry alarm;

  KeyLoad(KeyLoads<K, V> loads, CacheKey at) {
    this.loads = loads;
    this.store = loads.store;
    this.client = store.client;
    this.settings = loads.settings;
    this.at = at;
  }

  /**
   * Joins the waiting readers.
   *
   * @return false if this is over and another must be made
   */
  boolean join(Reader<K, V> reader) {
    boolean first;
    synchronized (this) {
      if (dead || late) {
        return false;
      }
      first = doing == Doing.NOTHING;
      if (first) {
        doing = Doing.ASKING;
      }
      boolean inTime = first || doing == Doing.WAITING || doing == Doing.LOADING;
      (inTime ? readers : next).add(reader);
    }
    if (first) {
      start();
    } else {
      reader.load.waits(reader.key);
    }
    return true;
  }

  private void start() {
    Throwable away;
    synchronized (this) {
      away =
          readers.stream().map(reader -> reader.away).filter(a -> a != null).findAny().orElse(null);
    }
    Throwable why = away;
    if (why != null || tooOftenRefused()) {
      safely(() -> loadPast(why, why == null));
    } else {
      ask(Aim.LOAD);
    }
  }

  private synchronized boolean tooOftenRefused() {
    return readers.stream().anyMatch(reader -> reader.refusals >= MAX_REFUSALS);
  }

  // ---- asking the store ----

  private void ask(Aim aim) {
    boolean listens = client.listens();
    synchronized (this) {
      doing = Doing.ASKING;
      woken = false;
    }
    long token = loads.entries.token(at);
    long attempt = client.nextAttempt();
    store
        .begin(at, attempt, aim)
        .whenComplete(
            (reply, failure) -> safely(() -> told(attempt, aim, token, reply, failure, listens)));
  }

  private void told(
      long attempt,
      Aim aim,
      long token,
      @Nullable CacheReply reply,
      @Nullable Throwable failure,
      boolean listens) {
    if (reply instanceof CacheReply.Hit hit) {
      hit(hit.entry(), token);
    } else if (reply instanceof CacheReply.Granted) {
      load(attempt);
    } else if (reply instanceof CacheReply.Busy busy) {
      await(busy.leftMicros(), listens && aim == Aim.LOAD); // else no message comes
    } else if (reply instanceof CacheReply.Intended) {
      loadPast(null, false);
    } else {
      Throwable cause = Failures.unwrap(failure == null ? new IllegalStateException() : failure);
      if (Failures.isPassing(cause)) {
        loadPast(cause, false);
      } else {
        finish(reader -> reader.completeExceptionally(cause));
      }
    }
  }

  private void hit(CacheEntry entry, long token) {
    loads
        .entries
        .decode(readers().get(0).key, at, entry, token)
        .whenComplete(
            (found, failure) -> {
              if (found != null && found.fresh() != null) {
                Optional<V> value = found.fresh();
                finish(reader -> reader.complete(value));
              } else if (failure == null) {
                ask(Aim.REFRESH); // what is stored is of no use
              } else {
                loadPast(Failures.unwrap(failure), false);
              }
            });
  }

  private void await(long leftMicros, boolean listens) {
    readers().forEach(reader -> reader.load.waits(reader.key));
    synchronized (this) {
      joinNext();
      if (!woken) {
        doing = Doing.WAITING;
        long left = TimeUnit.MICROSECONDS.toNanos(Math.max(0, leftMicros)) + 1_000_000;
        alarm =
            client.timers.in(Math.min(left, listens ? POLL_NANOS : DEAF_POLL_NANOS), this::wake);
        return;
      }
    }
    ask(Aim.LOAD);
  }

  /** A value or the lease may be available. */
  void wake() {
    synchronized (this) {
      woken = true;
      if (doing != Doing.WAITING) {
        return;
      }
      doing = Doing.ASKING;
      if (alarm != null) {
        alarm.cancel();
      }
    }
    ask(Aim.LOAD);
  }

  /**
   * Readers that came while a request was under way are as early as the others for the next
   * request.
   */
  private synchronized void joinNext() {
    readers.addAll(next);
    next = new ArrayList<>(0);
  }

  private synchronized List<Reader<K, V>> readers() {
    return List.copyOf(readers);
  }

  // ---- loading ----

  private void load(long attempt) {
    Reader<K, V> leader;
    synchronized (this) {
      joinNext();
      doing = Doing.LOADING;
      leader = lead();
    }
    if (leader == null) { // all gave up
      store.abandon(at, attempt);
      finish(reader -> {});
      return;
    }
    FillLease lease = new FillLease(store, settings, at, attempt, () -> sendOn(leader));
    loads
        .loading
        .load(leader.key, leader.load, true)
        .whenComplete(
            (loaded, failure) -> {
              if (failure != null) {
                lease.abandon();
                failed(leader, Failures.unwrap(failure));
              } else {
                fill(leader, loaded, lease);
              }
            });
  }

  /** Called under the monitor. */
  private @Nullable Reader<K, V> lead() {
    leader = readers.stream().filter(reader -> !reader.isDone()).findFirst().orElse(null);
    return leader;
  }

  /**
   * The load of a reader has timed out, or lost its lease. The other readers ask again, and only
   * its own reader goes on waiting for it.
   */
  private void sendOn(Reader<K, V> of) {
    List<Reader<K, V>> others;
    synchronized (this) {
      if (leader != of || doing == Doing.FILLING) {
        return;
      }
      late = true;
      loads.cutOff(at, this);
      joinNext();
      others = new ArrayList<>(readers);
      others.remove(of);
      readers = new ArrayList<>(List.of(of));
    }
    others.forEach(this::again);
  }

  private void failed(Reader<K, V> leader, Throwable failure) {
    if (isInterruption(failure)) { // of the leader alone
      loads.serveStaleOr(leader, failure);
      finish(this::again);
    } else {
      fail(failure);
    }
  }

  private static boolean isInterruption(Throwable failure) {
    if (Thread.currentThread().isInterrupted()) {
      return true;
    }
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 100; depth++) {
      if (cause instanceof InterruptedException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private void fill(Reader<K, V> leader, Loaded<V> loaded, FillLease lease) {
    CacheValue stored;
    try {
      stored = settings.value(leader.key, loaded.value().orElse(null), loaded.tagVersion());
    } catch (Throwable t) {
      lease.abandon();
      fail(t);
      return;
    }
    synchronized (this) {
      doing = Doing.FILLING;
    }
    lease
        .fill(stored)
        .whenComplete(
            (done, failure) -> {
              if (Boolean.TRUE.equals(done)) {
                filled(leader, loaded, stored);
                return;
              }
              Throwable cause = failure == null ? null : Failures.unwrap(failure);
              if (cause != null && !Failures.isPassing(cause)) { // the store will not have it
                lease.abandon();
                fail(cause);
                return;
              }
              // the leader asked before the load began; the others may have come after a write
              store.counters.fillsRefused.increment();
              leader.complete(loaded.value());
              finish(this::again);
            });
  }

  private void filled(Reader<K, V> leader, Loaded<V> loaded, CacheValue stored) {
    leader.complete(loaded.value());
    if (stored.tags().isEmpty() || readers().stream().allMatch(Reader::isDone)) {
      finish(reader -> reader.complete(loaded.value()));
      return;
    }
    // a tag may have been dropped before some of them came, which does not kill leases
    store
        .isDropped(stored.tags(), stored.tagVersion())
        .whenComplete(
            (dropped, failure) -> {
              if (Boolean.FALSE.equals(dropped)) {
                finish(reader -> reader.complete(loaded.value()));
              } else {
                finish(this::again);
              }
            });
  }

  private void again(Reader<K, V> reader) {
    if (!reader.isDone()) {
      reader.refusals++;
      loads.join(reader);
    }
  }

  /**
   * Loads without a lease for the present waiters, because a write is under way or the store is
   * unreachable. Later callers wait for the next load.
   */
  private void loadPast(@Nullable Throwable away, boolean queues) {
    Reader<K, V> leader;
    synchronized (this) {
      doing = Doing.ASKING; // no reader joins a load that has begun
      joinNext();
      leader = lead();
    }
    if (leader == null) {
      finish(reader -> {});
      return;
    }
    if (away != null && !store.mayFallBack(at, away)) {
      fail(
          new CacheLoadException(
              at
                  + ": the store is unreachable and the fallback limit is spent: "
                  + settings.fallback,
              away));
      return;
    }
    TimerQueue.Entry end = client.timers.in(settings.longestLoadNanos(), () -> sendOn(leader));
    loads
        .loading
        .load(leader.key, leader.load, queues)
        .whenComplete(
            (loaded, failure) -> {
              end.cancel();
              if (failure != null) {
                fail(Failures.unwrap(failure));
              } else {
                finish(reader -> reader.complete(loaded.value()));
              }
            });
  }

  /** An unexpected failure must not leave readers waiting. */
  private void safely(Runnable step) {
    try {
      step.run();
    } catch (Throwable t) {
      fail(t);
    }
  }

  private void fail(Throwable failure) {
    finish(reader -> loads.serveStaleOr(reader, failure));
  }

  // ---- ending ----

  @FunctionalInterface
  private interface Ending<K, V> {
    void end(Reader<K, V> reader);
  }

  /** Completes the served readers, and continues for later ones. */
  private void finish(Ending<K, V> ending) {
    List<Reader<K, V>> served;
    boolean more;
    boolean detached = !loads.isCurrent(at, this);
    List<Reader<K, V>> elsewhere = List.of();
    synchronized (this) {
      served = readers;
      if (detached) {
        elsewhere = next;
        next = List.of();
      }
      readers = next;
      next = new ArrayList<>(0);
      more = !readers.isEmpty();
      doing = Doing.ASKING;
      leader = null;
      if (!more) {
        dead = true;
      }
    }
    if (!more) {
      loads.forget(at, this);
    }
    served.forEach(ending::end);
    elsewhere.forEach(loads::join);
    if (more) {
      start();
    }
  }

  /** Readers that arrive later do not join the load under way. */
  synchronized void detach() {
    if (doing == Doing.LOADING) {
      loads.cutOff(at, this);
    }
  }

  void close() {
    List<Reader<K, V>> all;
    synchronized (this) {
      joinNext();
      all = List.copyOf(readers);
    }
    all.forEach(reader -> reader.completeExceptionally(Failures.closed()));
  }
}
