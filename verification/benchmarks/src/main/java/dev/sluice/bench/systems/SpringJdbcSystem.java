package dev.sluice.bench.systems;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Integration's registry on a database, default settings. */
final class SpringJdbcSystem implements LockSystem {
  private final HikariDataSource pool;
  private final DefaultLockRepository repository;
  private final JdbcLockRegistry registry;

  SpringJdbcSystem(String uri) {
    this.pool = Pool.open(uri);
    this.repository = new DefaultLockRepository(pool);
    repository.setTransactionManager(new DataSourceTransactionManager(pool));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    this.registry = new JdbcLockRegistry(repository);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    return new JucMutex(registry.obtain(name));
  }

  @Override
  public void close() {
    repository.close();
    pool.close();
  }
}
