package dev.sluice.internal.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Agenda;
import dev.sluice.internal.call.Failures;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.Throttle;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.Names;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.ThrottleRequest;
import dev.sluice.spi.Ticker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One client's rate limiters over one backend: one timer, one inbox for callers who stand in
 * queues.
 *
 * <p>Safe for use by many threads.
 */
public final class LimitEngine {
  static final System.Logger LOG = System.getLogger("dev.sluice.limit");

  final LimitBackend backend;
  final String clientId;
  final Ticker ticker;
  final Executor callbacks;
  final Agenda agenda;
  private final ConcurrentHashMap<Policy, ClientLimiter> limiters = new ConcurrentHashMap<>();

  /** By name, and of one version the first. */
  private final ConcurrentHashMap<String, RateLimiterOptions> newestPolicies =
      new ConcurrentHashMap<>();

  /** Names with two policies, which were warned of. */
  private final Set<String> ambiguous = ConcurrentHashMap.newKeySet();

  private final ConcurrentHashMap<Long, Place> places = new ConcurrentHashMap<>();

  /** Callers whose time has not come. */
  private final Set<Place> waiting = ConcurrentHashMap.newKeySet();

  private final AtomicLong tickets = new AtomicLong();
  // guarded by this
  private @Nullable CompletableFuture<Void> listening;
  private volatile boolean closed;

  /**
   * An engine without limiters yet.
   *
   * @param backend the store's verbs
   * @param clientId 128 random bits as text
   * @param ticker monotonic clock
   * @param scheduler runs the one timer
   * @param callbacks runs completions of waits
   */
  public LimitEngine(
      LimitBackend backend,
      String clientId,
      Ticker ticker,
      Scheduler scheduler,
      Executor callbacks) {
    this.backend = backend;
    this.clientId = clientId;
    this.ticker = ticker;
    this.callbacks = callbacks;
    this.agenda = new Agenda(ticker, scheduler);
  }

  private record Policy(String name, RateLimiterOptions options) {}

  /**
   * Finds or makes a limiter.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param options its policy
   * @return the limiter; the same one for the same name and policy
   */
  public RateLimiter limiter(String name, RateLimiterOptions options) {
    checkOpen();
    Policy policy =
        new Policy(Names.check(name), requireNonNull(options, "options must not be null"));
    ClientLimiter limiter = limiters.get(policy);
    if (limiter == null) {
      limiter = limiters.computeIfAbsent(policy, made -> new ClientLimiter(this, name, options));
      warnOfAnother(name, options);
    }
    if (closed) {
      limiter.close();
    }
    return limiter;
  }

  /** Two policies of one version have no order: each counts by its own rule, on one count. */
  private void warnOfAnother(String name, RateLimiterOptions options) {
    RateLimiterOptions newest =
        newestPolicies.merge(
            name, options, (known, made) -> made.version() > known.version() ? made : known);
    boolean differs =
        newest.version() == options.version()
            && !(newest.limits().equals(options.limits())
                && newest.overrides().equals(options.overrides())
                && newest.leasing() == options.leasing());
    if (differs && ambiguous.add(name)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "rate limiter "
              + Names.quoted(name)
              + " has two policies of version "
              + options.version()
              + " in this process: their counts spoil each other. Give the newer policy a higher"
              + " version, or one of them another name");
    }
  }

  /** {@return the limiters that were asked for} */
  public List<RateLimiter> limiters() {
    return List.copyOf(limiters.values());
  }

  /** {@return the surface of redis-cell} */
  public Throttle throttle() {
    return (key, maxBurst, count, period, quantity) -> {
      checkOpen();
      return Failures.await(
          backend
              .throttle(Names.check(key), ThrottleRequest.of(maxBurst, count, period, quantity))
              .toCompletableFuture(),
          "throttle " + Names.quoted(key));
    };
  }

  void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  long nextTicket() {
    return tickets.incrementAndGet();
  }

  /** Enters a caller, so that messages find it; completes once messages are delivered. */
  CompletableFuture<Void> expect(Place place) {
    places.put(place.ticket(), place);
    synchronized (this) {
      CompletableFuture<Void> known = listening;
      if (known == null || known.isCompletedExceptionally()) {
        known = backend.listenForTurns(clientId, this::mayMoveUp).toCompletableFuture().copy();
        listening = known;
      }
      return known;
    }
  }

  /** Enters a caller who waits, so that closing ends the wait. */
  void waits(Place place) {
    waiting.add(place);
    if (closed) {
      place.close();
    }
  }

  void forget(Place place) {
    waiting.remove(place);
    places.remove(place.ticket());
  }

  /** On another thread: the one behind is told in turn, and a queue may be long. */
  private void mayMoveUp(long ticket) {
    Place place = places.get(ticket);
    if (place != null && !closed) {
      callbacks.execute(place::moveUp);
    }
  }

  /** Ends every wait, and gives back what was taken in advance. Idempotent. */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    places.values().forEach(Place::close);
    waiting.forEach(Place::close);
    limiters.values().forEach(ClientLimiter::close);
    synchronized (this) {
      if (listening != null) {
        backend.unlistenForTurns(clientId);
      }
    }
    agenda.close();
  }
}
