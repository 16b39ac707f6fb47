package dev.sluice.verification.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cache.Consistency;
import dev.sluice.memory.FaultyMemory;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.state.CacheState;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryCacheRunTest extends CacheRunContract {
  private final MemoryBackend store = new MemoryBackend();
  private final JdbcConnectionPool database =
      JdbcConnectionPool.create(
          "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000", "", "");

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

  /** The real cache over a store that does not look at leases. */
  @Test
  void fillingWithoutLeaseIsCaught() {
    long start = System.nanoTime();
    MemoryBackend careless =
        FaultyMemory.caches(
            () -> 1 + (System.nanoTime() - start) / 1_000,
            () ->
                new CacheState() {
                  @Override
                  protected boolean isHeld(long now, String client, long attempt) {
                    return true;
                  }
                });
    CacheRun run =
        new CacheRun(() -> careless, new VersionedTable(database, CacheRun.keys()), Scheme.GUARDED)
            .with(builder -> builder.consistency(Consistency.STRONG));
    assertThat(run.run(300_000, true, start).wrong()).isPositive();
  }
}
