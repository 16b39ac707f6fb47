package dev.sluice;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a client. Not safe for use by several threads.
 *
 * @since 0.1
 */
public final class SluiceBuilder {
  @Nullable String uri;
  @Nullable Backend backend;
  @Nullable Ticker ticker;
  @Nullable Scheduler scheduler;
  @Nullable RandomGenerator random;
  @Nullable Executor callbacks;
  double clockDrift = 0.01;
  Duration maxTtl = LockOptions.MAX_TTL;
  private @Nullable Duration requestTimeout;
  private @Nullable String namespace;
  @Nullable LockObserver observer;

  SluiceBuilder() {}

  /**
   * Sets the URI of the store.
   *
   * @param uri see {@link Sluice#connect}
   * @return this
   */
  public SluiceBuilder uri(String uri) {
    this.uri = requireNonNull(uri, "uri must not be null");
    return this;
  }

  /**
   * Uses an open backend; closing the client leaves it open.
   *
   * @param backend the store
   * @return this
   */
  public SluiceBuilder backend(Backend backend) {
    this.backend = requireNonNull(backend, "backend must not be null");
    return this;
  }

  /**
   * Replaces the clock and the timer, for tests.
   *
   * @param ticker monotonic clock
   * @param scheduler runs what is due
   * @return this
   */
  public SluiceBuilder time(Ticker ticker, Scheduler scheduler) {
    this.ticker = requireNonNull(ticker, "ticker must not be null");
    this.scheduler = requireNonNull(scheduler, "scheduler must not be null");
    return this;
  }

  /**
   * Replaces the source of the client id and of jitter, for tests.
   *
   * @param random safe for use by many threads
   * @return this
   */
  public SluiceBuilder random(RandomGenerator random) {
    this.random = requireNonNull(random, "random must not be null");
    return this;
  }

  /**
   * Sets the executor of listeners and completions. The default makes daemon threads as needed.
   *
   * @param callbacks runs tasks that may block
   * @return this
   */
  public SluiceBuilder callbacks(Executor callbacks) {
    this.callbacks = requireNonNull(callbacks, "callbacks must not be null");
    return this;
  }

  /**
   * Sets the greatest clock drift between this machine and the store. A lease ends for us {@code
   * max(2 ms, drift x TTL) + 1 ms} before the store's.
   *
   * @param drift share, 0 to below 0.5 (default: 0.01)
   * @return this
   */
  public SluiceBuilder clockDrift(double drift) {
    if (!(drift >= 0 && drift < 0.5)) {
      throw new IllegalArgumentException("clockDrift must be 0 to below 0.5: " + drift);
    }
    this.clockDrift = drift;
    return this;
  }

  /**
   * Sets the longest lease that callers may request.
   *
   * @param longest at least 10 ms (default: one day)
   * @return this
   */
  public SluiceBuilder maxTtl(Duration longest) {
    requireNonNull(longest, "maxTtl must not be null");
    if (longest.compareTo(LockOptions.MIN_TTL) < 0
        || longest.compareTo(Duration.ofDays(3650)) > 0) {
      throw new IllegalArgumentException("maxTtl must be 10ms to 3650d: " + longest);
    }
    this.maxTtl = longest;
    return this;
  }

  /**
   * Sets the timeout of one request. It does not bound a wait for a lock, which has its own.
   *
   * @param timeout 1 ms to 1 day (default: 2 s)
   * @return this
   */
  public SluiceBuilder requestTimeout(Duration timeout) {
    this.requestTimeout = new BackendSettings(timeout).requestTimeout();
    return this;
  }

  /**
   * Separates this client from other data in the store of the URI, and from clients of other
   * namespaces; it overrides the namespace of the URI.
   *
   * @param namespace 1 to 32 lowercase letters, digits and hyphens
   * @return this
   * @throws IllegalArgumentException if it breaks the rule
   */
  public SluiceBuilder namespace(String namespace) {
    this.namespace = Namespace.check(namespace);
    return this;
  }

  /**
   * Reports every acquire and every lease of locks, read-write locks and semaphores to an observer,
   * for meters and traces.
   *
   * @param observer the observer (default: none)
   * @return this
   */
  public SluiceBuilder observer(LockObserver observer) {
    this.observer = requireNonNull(observer, "observer must not be null");
    return this;
  }

  /**
   * Connects.
   *
   * @return an open client
   * @throws IllegalStateException if neither or both of URI and backend were given
   * @throws IllegalArgumentException if no module opens such a URI
   * @throws BackendException if no server answers there
   */
  public Sluice build() {
    if ((uri == null) == (backend == null)) {
      throw new IllegalStateException("exactly one of uri and backend must be set");
    }
    if (backend != null && requestTimeout != null) {
      throw new IllegalStateException(
          "requestTimeout applies to a uri only: an open backend has its own");
    }
    if (backend != null && namespace != null) {
      throw new IllegalStateException(
          "namespace applies to a uri only: an open backend has its own, or none");
    }
    return new Sluice(this);
  }

  private BackendSettings settings() {
    return new BackendSettings(
        requestTimeout == null ? Duration.ofSeconds(2) : requestTimeout, namespace);
  }

  Backend openBackend() {
    if (backend != null) {
      return backend;
    }
    String target = requireNonNull(uri, "uri must not be null");
    return new Providers().of(target).open(target, settings());
  }

  String newClientId() {
    byte[] bits = new byte[16];
    (random == null ? new SecureRandom() : random).nextBytes(bits);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
  }
}
