package dev.sluice.bench.systems;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock on a database. It skips what is locked, so here nobody else may want the lock. */
final class ShedLockSystem implements LockSystem {
  private static final Duration AT_MOST = Duration.ofSeconds(30);

  private final HikariDataSource pool;
  private final LockProvider provider;

  ShedLockSystem(String uri) {
    this.pool = Pool.open(uri);
    this.provider =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    return new Mutex() {
      private @Nullable SimpleLock held;

      @Override
      public void acquire() {
        LockConfiguration wanted =
            new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO);
        held =
            provider
                .lock(wanted)
                .orElseThrow(() -> new IllegalStateException(name + " is locked by another"));
      }

      @Override
      public void release() {
        SimpleLock lock = held;
        if (lock == null) {
          throw new IllegalStateException(name + " is not held");
        }
        lock.unlock();
        held = null;
      }
    };
  }

  @Override
  public void close() {
    pool.close();
  }
}
