package dev.sluice.verification.cache;

import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A real server and a real database; a guard is forgotten as by an eviction. */
@EachRedis
class RedisCacheRunIT extends CacheRunContract {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(5));

  private final RedisServer server;
  private final JdbcConnectionPool database =
      JdbcConnectionPool.create(
          "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000", "", "");

  RedisCacheRunIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void empty() {
    server.call("FLUSHALL");
  }

  @AfterEach
  void close() {
    database.dispose();
  }

  @Override
  protected long operations() {
    return 10_000;
  }

  @Override
  protected Backend connect() {
    return RedisBackend.builder()
        .uri(server.uri())
        .requestTimeout(SETTINGS.requestTimeout())
        .build();
  }

  @Override
  protected DataSource database() {
    return database;
  }

  @Override
  protected void forget(int key) {
    server.call("DEL", "sl:{versions:" + key + "}:g");
  }
}
