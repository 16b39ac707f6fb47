package dev.sluice.verification.torture;

import dev.sluice.Sluice;
import dev.sluice.internal.call.SystemScheduler;
import dev.sluice.internal.lock.GrantEngine;
import dev.sluice.internal.lock.GrantParts;
import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Ticker;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Our own library. */
final class SluiceClient implements LockClient {
  static final String WORD = "sluice";
  private static final Duration REQUEST_TIMEOUT = Duration.ofMillis(800);

  private static final LeaseRules RULES = new LeaseRules(0.01);

  private final PlantedFault plant;
  private final Function<String, Backend> connect;
  private BiFunction<String, LockOptions, DistributedLock> locks =
      (name, options) -> {
        throw new IllegalStateException("not open");
      };
  private Runnable close = () -> {};

  /**
   * Not connected yet.
   *
   * @param plant what is wrong with it
   */
  SluiceClient(PlantedFault plant) {
    this(plant, SluiceClient::backend);
  }

  /**
   * Not connected yet.
   *
   * @param plant what is wrong with it
   * @param connect opens what the client is to use, and to close
   */
  SluiceClient(PlantedFault plant, Function<String, Backend> connect) {
    this.plant = plant;
    this.connect = connect;
  }

  @Override
  public String word() {
    return WORD;
  }

  @Override
  public void open(String uri, Duration ttl) {
    Backend backend = connect.apply(uri);
    if (plant == PlantedFault.NONE) {
      Sluice sluice = Sluice.builder().backend(backend).build();
      locks = sluice::lock;
      close =
          () -> {
            sluice.close();
            backend.close();
          };
    } else {
      openPlanted(uri, backend);
    }
  }

  /** What Sluice does, with something else in a place or two. */
  private void openPlanted(String uri, Backend backend) {
    LeaseRules planted = plant.rules();
    SystemScheduler scheduler = new SystemScheduler();
    ExecutorService pool = Executors.newCachedThreadPool();
    Executor callbacks = pool::execute;
    byte[] id = new byte[16];
    new SecureRandom().nextBytes(id);
    GrantEngine engine =
        GrantEngine.ofLocks(
            plant.plant(uri, backend.locks()),
            new GrantParts(
                backend.describe(),
                Base64.getUrlEncoder().withoutPadding().encodeToString(id),
                Ticker.system(),
                scheduler,
                new SecureRandom(),
                callbacks,
                planted == null ? RULES : planted,
                LockOptions.MAX_TTL));
    locks = engine::lock;
    close =
        () -> {
          engine.close(Duration.ofSeconds(1));
          scheduler.close();
          pool.shutdown();
          backend.close();
        };
  }

  private static Backend backend(String uri) {
    String scheme = uri.substring(0, uri.indexOf(':'));
    for (BackendProvider provider : ServiceLoader.load(BackendProvider.class)) {
      if (provider.schemes().contains(scheme)) {
        return provider.open(uri, new BackendSettings(REQUEST_TIMEOUT));
      }
    }
    throw new IllegalArgumentException("no backend for " + scheme);
  }

  @Override
  public @Nullable Hold acquire(String name, Terms terms, Duration wait) throws Exception {
    LockOptions options =
        terms.renewing() ? LockOptions.renewing(terms.ttl()) : LockOptions.fixed(terms.ttl());
    if (terms.sticky()) {
      options = options.sticky(Duration.ofMillis(500));
    }
    DistributedLock lock = locks.apply(name, options);
    Lease lease =
        wait.isZero() ? lock.tryAcquire().orElse(null) : lock.tryAcquire(wait).orElse(null);
    return lease == null ? null : new Held(lease);
  }

  @Override
  public void close() {
    close.run();
  }

  private record Held(Lease lease) implements Hold {
    @Override
    public long token() {
      return lease.token();
    }

    @Override
    public long remainingNanos() {
      return lease.remaining().toNanos();
    }

    @Override
    public void onChange(Consumer<LeaseState> listener) {
      lease.onChange((changed, state) -> listener.accept(state));
    }

    @Override
    public boolean release() {
      return lease.release();
    }
  }
}
