package dev.sluice.testkit.cache;

import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;

class MemoryCacheRunTest extends CacheRunContract {
  private final MemoryBackend store = new MemoryBackend();
  private final JdbcConnectionPool database =
      JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "");

  @AfterEach
  void close() {
    database.dispose();
  }

  @Override
  protected long operations() {
    return 30_000;
  }

  @Override
  protected Backend connect() {
    return store;
  }

  @Override
  protected DataSource database() {
    return database;
  }

  @Override
  protected void forget(int key) {
    if (key == 0) {
      store.clear(); // all of it, but not too often
    }
  }
}
