package dev.sluice.flashsale.desk;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.servers.PostgresqlServer;
import java.util.UUID;

/** A database of a test. */
public record TestDatabase(String name, HikariDataSource pool, Runnable end)
    implements AutoCloseable {

  /** H2 in memory. */
  public static TestDatabase h2() {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";MODE=PostgreSQL;LOCK_TIMEOUT=10000";
    return new TestDatabase("H2", pool(url), () -> {});
  }

  /** A PostgreSQL of our own. */
  public static TestDatabase postgresql() {
    PostgresqlServer server = PostgresqlServer.start("fsync=off");
    return new TestDatabase(
        "PostgreSQL", pool(PostgresqlServer.url(server.port(), "postgres")), server::close);
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(8);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }

  @Override
  public void close() {
    pool.close();
    end.run();
  }

  @Override
  public String toString() {
    return name;
  }
}
