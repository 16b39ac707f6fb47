package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Agenda;
import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.MultiLock;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.Names;
import dev.sluice.spi.RenewReply;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One client's locks over one backend: a cell for each name in use, one timer, one inbox.
 *
 * <p>Safe for use by many threads.
 */
public class LockEngine {
  static final System.Logger LOG = System.getLogger("dev.sluice.lock");
  static final CompletableFuture<Boolean> YES = CompletableFuture.completedFuture(true);
  static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

  /** Above this many names, idle ones are forgotten at once; below, their last token is kept. */
  private static final int MANY_CELLS = 10_000;

  private static final long UNDO_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * What an engine is made of.
   *
   * @param describe the store, for messages
   * @param clientId 128 random bits as text
   * @param ticker monotonic clock
   * @param scheduler runs the one timer
   * @param random jitter
   * @param callbacks runs listeners and completions
   * @param rules arithmetic of leases
   * @param maxTtl longest lease
   */
  public record Parts(
      String describe,
      String clientId,
      Ticker ticker,
      Scheduler scheduler,
      RandomGenerator random,
      Executor callbacks,
      LeaseRules rules,
      Duration maxTtl) {}

  /** Attempts up to this one must be ended at the store, which did not answer yet. */
  private record Undo(String name, long attempt, long until, int tries) {}

  final String clientId;
  final Ticker ticker;
  final Scheduler scheduler;
  final Executor callbacks;
  final LeaseRules rules;
  final Agenda agenda;

  private final String describe;
  private final Duration maxTtl;
  private final RandomGenerator random;
  private final LockBackend backend;
  private final ConcurrentHashMap<String, LeaseCell> cells = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Undo> undos = new ConcurrentHashMap<>();
  private final Set<CompletableFuture<?>> ending = ConcurrentHashMap.newKeySet();
  private final AtomicLong attempts = new AtomicLong();
  final ReentrantView.Holds holds = new ReentrantView.Holds();
  private final AtomicBoolean listening = new AtomicBoolean();
  private final AtomicLong lastWarning = new AtomicLong();
  private volatile boolean closed;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile CompletableFuture<Void> closing = CompletableFuture.completedFuture(null);

  /** Hears of every caller; set before the first. */
  volatile @Nullable LockObserver observer;

  /**
   * An engine without names yet.
   *
   * @param backend the store's verbs
   * @param parts clocks, threads and settings
   */
  public LockEngine(LockBackend backend, Parts parts) {
    this.backend = backend;
    this.describe = parts.describe;
    this.clientId = parts.clientId;
    this.ticker = parts.ticker;
    this.scheduler = parts.scheduler;
    this.random = parts.random;
    this.callbacks = parts.callbacks;
    this.rules = parts.rules;
    this.maxTtl = parts.maxTtl;
    this.agenda = new Agenda(ticker, scheduler);
    this.lastWarning.set(ticker.nanos() - TimeUnit.SECONDS.toNanos(2));
  }

  /**
   * Tells somebody about all that happens. To be called before the first lock is asked for.
   *
   * @param observer who
   */
  public void observe(LockObserver observer) {
    this.observer = observer;
  }

  /**
   * A lock by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how it is held
   * @return the lock; any number of objects of one name mean the same lock
   */
  public DistributedLock lock(String name, LockOptions options) {
    Names.check(name);
    requireNonNull(options, "options must not be null");
    checkTtl(options.ttl());
    checkOpen();
    return new ClientLock(this, name, options, Demand.LOCK);
  }

  /**
   * Several locks as one.
   *
   * @param names each 1 to 512 bytes of UTF-8; at least one
   * @param options how they are held
   * @return the locks, each name once, sorted
   */
  public MultiLock multiLock(Collection<String> names, LockOptions options) {
    requireNonNull(names, "names must not be null");
    requireNonNull(options, "options must not be null");
    if (names.isEmpty()) {
      throw new IllegalArgumentException("names must not be empty");
    }
    TreeMap<String, ClientLock> locks = new TreeMap<>();
    for (String name : names) {
      Names.check(name);
      locks.put(name, new ClientLock(this, name, options, Demand.LOCK));
    }
    checkTtl(options.ttl());
    checkOpen();
    return new ClientMultiLock(this, locks, options);
  }

  /**
   * Asks the store about a lock.
   *
   * @param name the lock
   * @return what the store knows
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws dev.sluice.BackendException if the store did not answer
   */
  public LockInfo inspect(String name) {
    Names.check(name);
    checkOpen();
    return Failures.await(backend.inspect(name).toCompletableFuture(), Failures.lock(name));
  }

  /**
   * Asks the store about several locks, all at once.
   *
   * @param names the locks
   * @return what the store knows, in the order of the names
   */
  public List<LockInfo> inspect(Collection<String> names) {
    return all(names, backend::inspect);
  }

  /** Asks about each name before the first answer has come. */
  final <T> List<T> all(Collection<String> names, Function<String, CompletionStage<T>> ask) {
    names.forEach(Names::check);
    checkOpen();
    List<CompletableFuture<T>> asked =
        names.stream()
            .map(name -> Failures.call(() -> ask.apply(name)).toCompletableFuture())
            .toList();
    List<T> answers = new ArrayList<>(names.size());
    int at = 0;
    for (String name : names) {
      answers.add(Failures.await(asked.get(at++), what(name)));
    }
    return answers;
  }

  /** {@return what this client has seen, by name} */
  public Map<String, LockStats> stats() {
    Map<String, LockStats> stats = new HashMap<>();
    cells.values().stream().limit(MANY_CELLS).forEach(cell -> stats.put(cell.name, cell.stats()));
    return stats;
  }

  Optional<ForcedRelease> forceRelease(String name, long token) {
    checkOpen();
    return Failures.await(
        Failures.call(() -> backend.forceRelease(name, token)).toCompletableFuture(),
        Failures.lock(name));
  }

  /**
   * Asks the store for names.
   *
   * @param limit most names, at least 1
   * @return names of locks in use or remembered
   */
  public List<String> names(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be >= 1: " + limit);
    }
    checkOpen();
    return Failures.await(backend.names(limit).toCompletableFuture(), "lock names");
  }

  /**
   * Waits for an answer of the store.
   *
   * @param answer what was asked
   * @param what names it in messages
   * @param <T> kind of answer
   * @return the answer
   */
  public <T> T await(CompletionStage<T> answer, String what) {
    return Failures.await(answer.toCompletableFuture(), what);
  }

  /** {@return how many timers wait} For tests: zero when nothing is held or waited for. */
  public int pendingTimers() {
    return agenda.size();
  }

  /**
   * Ends waits with {@link IllegalStateException}, gives every lease back and waits for the store,
   * at most for {@code longest}. Idempotent.
   *
   * @param longest bound of the wait
   */
  public void close(Duration longest) {
    long until = System.nanoTime() + longest.toNanos();
    beginClose();
    endClose(until);
  }

  /** Ends waits and sends the release of every lease, without waiting for the store. */
  public void beginClose() {
    if (closed) {
      return;
    }
    closed = true;
    List<CompletableFuture<?>> freed = new ArrayList<>();
    for (LeaseCell cell : cells.values()) {
      freed.add(cell.close());
    }
    cells.clear();
    freed.addAll(ending); // after the cells: what they began to end meanwhile is in it
    undos.forEach( // the last chance to end what may have been granted
        (key, pending) ->
            freed.add(sendRelease(pending.name, pending.attempt).toCompletableFuture()));
    closing = CompletableFuture.allOf(freed.toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Waits for the store to answer what {@link #beginClose()} sent. Idempotent.
   *
   * @param until end of the wait, by {@link System#nanoTime()}
   */
  public void endClose(long until) {
    if (over.getAndSet(true)) {
      return;
    }
    try {
      closing.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "closed before every release was confirmed", e);
    }
    agenda.close();
    backend.unlisten(clientId);
  }

  // ---- for cells ----

  String describe() {
    return describe;
  }

  LeaseCell cell(String name) {
    LeaseCell cell = cells.get(name);
    if (cell == null) {
      checkOpen();
      cell = cells.computeIfAbsent(name, this::newCell);
      if (closed) { // close() may have missed it
        cell.close();
        cells.remove(name, cell);
        throw Failures.closed();
      }
    }
    return cell;
  }

  /** How messages name what is kept here. */
  String what(String name) {
    return Failures.lock(name);
  }

  /** What this process does about a name. */
  LeaseCell newCell(String name) {
    return new LockCell(this, name);
  }

  boolean hasManyCells() {
    return cells.size() > MANY_CELLS;
  }

  void forget(LeaseCell cell) {
    cells.remove(cell.name, cell);
  }

  long nextAttempt() {
    return attempts.incrementAndGet();
  }

  long jitter(long boundNanos) {
    return random.nextLong(Math.max(1, boundNanos));
  }

  long checkTtl(Duration ttl) {
    requireNonNull(ttl, "ttl must not be null");
    if (ttl.compareTo(LockOptions.MIN_TTL) < 0 || ttl.compareTo(maxTtl) > 0) {
      throw new IllegalArgumentException(
          "ttl must be 10ms to " + Durations.shortly(maxTtl) + ": " + ttl);
    }
    return ttl.toNanos();
  }

  long checkDelay(Duration delay) {
    if (delay.compareTo(maxTtl) > 0) {
      throw new IllegalArgumentException(
          "delay must be at most " + Durations.shortly(maxTtl) + ": " + delay);
    }
    return delay.toNanos();
  }

  void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  CompletionStage<AcquireReply> acquire(AcquireRequest request) {
    listenOnce();
    return Failures.call(() -> backend.acquire(request));
  }

  final void listenOnce() {
    if (!listening.getAndSet(true)) {
      Failures.call(() -> backend.listen(clientId, this::onMessage))
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  listening.set(false); // the next acquire tries again
                }
              });
    }
  }

  boolean confirmsInParts() {
    return backend.confirmsInParts();
  }

  CompletionStage<RenewReply> renew(String name, long attempt, long ttlNanos) {
    return Failures.call(() -> backend.renew(name, clientId, attempt, ttlNanos / 1000));
  }

  /**
   * Ends an attempt; where the store does not answer, goes on trying in the background until what
   * the attempt may hold has run out.
   */
  CompletableFuture<Boolean> release(String name, long attempt, long ttlNanos, Effects effects) {
    CompletableFuture<Boolean> freed = new CompletableFuture<>();
    effects.add(
        () ->
            sendRelease(name, attempt)
                .whenComplete(
                    (done, failure) -> {
                      if (failure == null) {
                        freed.complete(done);
                      } else {
                        freed.completeExceptionally(Failures.unwrap(failure));
                        undoLater(name, attempt, ttlNanos, failure);
                      }
                    }));
    return freed;
  }

  CompletionStage<Boolean> releaseAfter(String name, long attempt, long delayNanos) {
    return Failures.call(
        () -> backend.releaseAfter(name, clientId, attempt, Math.max(1, delayNanos / 1000)));
  }

  /** Ends an attempt that may have taken the lock without our knowing. */
  void undo(String name, long attempt, long ttlNanos, Effects effects) {
    finishBeforeClose(release(name, attempt, ttlNanos, effects));
  }

  /** To be waited for when this client is closed, as nobody else does. */
  void finishBeforeClose(CompletableFuture<Boolean> release) {
    ending.add(release);
    release.whenComplete((done, failure) -> ending.remove(release));
  }

  private CompletionStage<Boolean> sendRelease(String name, long attempt) {
    return Failures.call(() -> backend.release(name, clientId, attempt));
  }

  private void undoLater(String name, long attempt, long ttlNanos, Throwable failure) {
    if (closed || !Failures.isPassing(Failures.unwrap(failure))) {
      return;
    }
    long until = ticker.nanos() + ttlNanos + TimeUnit.SECONDS.toNanos(1);
    String key = undoKey(name, attempt);
    undos.compute(
        key,
        (n, pending) -> {
          if (pending != null) { // to end an attempt ends the earlier ones too
            long later = until - pending.until > 0 ? until : pending.until;
            return new Undo(name, Math.max(attempt, pending.attempt), later, pending.tries);
          }
          planUndo(key, 0);
          return new Undo(name, attempt, until, 0);
        });
  }

  /** Releases of one key are merged into the last. */
  String undoKey(String name, long attempt) {
    return name;
  }

  private void planUndo(String key, int tries) {
    long delay = UNDO_RETRY_NANOS << Math.min(tries, 5);
    agenda.in(delay + jitter(delay), () -> undoNow(key));
  }

  private void undoNow(String key) {
    Undo pending = undos.get(key);
    if (pending == null) {
      return;
    }
    sendRelease(pending.name, pending.attempt)
        .whenComplete(
            (done, failure) ->
                undos.computeIfPresent(
                    key,
                    (n, now) -> {
                      boolean over = failure == null && now.attempt == pending.attempt;
                      boolean hopeless =
                          failure != null && !Failures.isPassing(Failures.unwrap(failure));
                      if (over || hopeless || closed || ticker.nanos() - now.until > 0) {
                        return null;
                      }
                      planUndo(key, now.tries + 1);
                      return new Undo(now.name, now.attempt, now.until, now.tries + 1);
                    }));
  }

  /** At most one line a second, however many leases fail to renew. */
  void warn(String name, String what, @Nullable Throwable failure) {
    long now = ticker.nanos();
    long last = lastWarning.get();
    if (now - last >= TimeUnit.SECONDS.toNanos(1) && lastWarning.compareAndSet(last, now)) {
      String why = failure == null ? "no answer" : failure.getMessage();
      warn(() -> what(name) + ": " + what + ": " + why);
    }
  }

  /** Where a log that is slow keeps nobody from his lock. */
  void warn(Supplier<String> text) {
    try {
      callbacks.execute(() -> LOG.log(System.Logger.Level.WARNING, text));
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.WARNING, text);
    }
  }

  private void onMessage(LockMessage message) {
    LeaseCell cell = cells.get(message.name());
    if (cell != null) {
      cell.onMessage(message.kind());
    }
  }
}
