package dev.sluice.bench.systems;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.Sluice;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sluice's locks on any store. */
public final class SluiceSystem implements LockSystem {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Sluice sluice;
  private final Duration ttl;
  private final Runnable afterwards;

  SluiceSystem(String uri, Duration ttl) {
    this(Sluice.connect(uri), ttl, () -> {});
  }

  private SluiceSystem(Sluice sluice, Duration ttl, Runnable afterwards) {
    this.sluice = sluice;
    this.ttl = ttl;
    this.afterwards = afterwards;
  }

  /** On a database that has the tables, through a pool. */
  static SluiceSystem overPool(String url, Duration ttl) {
    HikariDataSource pool = Pool.open(url);
    JdbcBackend backend = JdbcBackend.builder().dataSource(pool).build();
    Runnable afterwards =
        () -> {
          backend.close();
          pool.close();
        };
    return new SluiceSystem(Sluice.builder().backend(backend).build(), ttl, afterwards);
  }

  /** For workloads that hold many leases. */
  public DistributedLock lock(String name) {
    return sluice.lock(name, LockOptions.renewing(ttl));
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockOptions plain = LockOptions.renewing(ttl);
    LockOptions options =
        switch (habit) {
          case PLAIN -> plain;
          case STICKY -> plain.sticky(Duration.ofSeconds(30));
          case ALTERNATING -> plain.handOff(1, Duration.ZERO);
          default -> throw new IllegalArgumentException("locks are never " + habit);
        };
    return new LeaseMutex(sluice.lock(name, options));
  }

  @Override
  public void close() {
    sluice.close();
    afterwards.run();
  }

  private static final class LeaseMutex implements Mutex {
    private final DistributedLock lock;
    private @Nullable Lease lease;

    LeaseMutex(DistributedLock lock) {
      this.lock = lock;
    }

    @Override
    public void acquire() throws InterruptedException {
      lease = lock.acquire(PATIENCE);
    }

    @Override
    public void release() {
      Lease held = lease;
      if (held == null || !held.release()) {
        throw new IllegalStateException("lease of " + lock.name() + " was lost");
      }
      lease = null;
    }
  }
}
