package dev.sluice.internal.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.Throttle;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.ThrottleRequest;
import dev.sluice.text.Names;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The rate limiters of one client over one backend: one timer, and one subscription for queued
 * callers.
 *
 * <p>Safe for use by many threads.
 */
public final class LimitEngine implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.sluice.limit");

  private final LimitStore store;
  private final QueuedReservations reservations;
  private final ConcurrentHashMap<Policy, ClientLimiter> limiters = new ConcurrentHashMap<>();

  /** The policies by name, of one version the first. */
  private final ConcurrentHashMap<String, RateLimiterOptions> newestPolicies =
      new ConcurrentHashMap<>();

  /** Names with two policies, for which a warning was logged. */
  private final Set<String> ambiguous = ConcurrentHashMap.newKeySet();

  private final ClientParts parts;
  private @Nullable ClientPolicyBook book; // guarded by this

  /** An engine without limiters. */
  public LimitEngine(ClientParts parts) {
    this.parts = parts;
    this.store =
        new LimitStore(
            parts.backend().limits(),
            parts.clientId(),
            parts.ticker(),
            parts.scheduler(),
            parts.callbacks());
    this.reservations = new QueuedReservations(store);
  }

  private record Policy(String name, RateLimiterOptions options) {}

  /**
   * Returns an existing limiter or a new one.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param options its policy
   * @return the limiter; the same one for the same name and policy
   */
  public RateLimiter limiter(String name, RateLimiterOptions options) {
    store.checkOpen();
    Policy policy =
        new Policy(Names.check(name), requireNonNull(options, "options must not be null"));
    ClientLimiter limiter = limiters.get(policy);
    if (limiter == null) {
      limiter =
          limiters.computeIfAbsent(
              policy, made -> new ClientLimiter(store, reservations, name, options));
      warnOfAnother(name, options);
    }
    if (store.isClosed()) {
      limiter.close();
    }
    return limiter;
  }

  /** Two policies of one version have no order. Each decides by its own rule on one count. */
  private void warnOfAnother(String name, RateLimiterOptions options) {
    RateLimiterOptions newest =
        newestPolicies.merge(
            name, options, (known, made) -> made.version() > known.version() ? made : known);
    boolean differs =
        newest.version() == options.version()
            && !(newest.limits().equals(options.limits())
                && newest.overrides().equals(options.overrides())
                && newest.plans().equals(options.plans())
                && newest.planOf().equals(options.planOf())
                && newest.isLeasing() == options.isLeasing());
    if (differs && ambiguous.add(name)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "rate limiter "
              + Names.quoted(name)
              + " has two policies of version "
              + options.version()
              + " in this process: their counts interfere. Give the newer policy a higher"
              + " version, or one of them another name");
    }
  }

  /** {@return the limiters in use} */
  public List<RateLimiter> limiters() {
    return List.copyOf(limiters.values());
  }

  /** {@return the policies in the store} */
  public synchronized PolicyBook policyBook() {
    store.checkOpen();
    if (book == null) {
      book = new ClientPolicyBook(parts, this::limiters);
    }
    return book;
  }

  /** {@return redis-cell's {@code CL.THROTTLE}} */
  public Throttle throttle() {
    return (key, maxBurst, count, period, quantity) -> {
      store.checkOpen();
      return Failures.await(
          store
              .backend
              .throttle(
                  Names.check("key", key), ThrottleRequest.of(maxBurst, count, period, quantity))
              .toCompletableFuture(),
          "throttle " + Names.quoted(key));
    };
  }

  /** Ends every wait, and returns leased permits. Idempotent. */
  @Override
  public void close() {
    if (store.isClosed()) {
      return;
    }
    store.stop();
    synchronized (this) {
      if (book != null) {
        book.close();
      }
    }
    reservations.close();
    limiters.values().forEach(ClientLimiter::close);
    reservations.unlisten();
    store.timers.close();
  }
}
