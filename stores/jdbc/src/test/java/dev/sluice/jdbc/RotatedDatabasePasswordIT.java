package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.PostgresqlServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The password of the database's user changes, and the DataSource gets the new one. */
class RotatedDatabasePasswordIT {
  private static final Duration AGES = Duration.ofSeconds(60);
  private static final LockOptions FIXED = LockOptions.fixed(Duration.ofMinutes(10));

  /** A database with a user {@code app} whose password is checked. */
  abstract static class Rotation {

    /** {@return where the database is, without a user} */
    abstract String url();

    abstract void change(String password) throws SQLException;

    /** Ends all sessions of the user, as a failing server or a restarted proxy does. */
    abstract void endSessions() throws SQLException;

    /** {@return the SQL state of a wrong password} */
    abstract String refused();

    boolean admits(String password) {
      try (Connection connection = DriverManager.getConnection(url(), "app", password)) {
        return connection.isValid(1);
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as("the state of a wrong password").isEqualTo(refused());
        return false;
      }
    }

    private HikariDataSource pool() {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(url());
      config.setUsername("app");
      config.setPassword("old-secret");
      config.setMaximumPoolSize(4);
      config.setMinimumIdle(0);
      config.setConnectionTimeout(1_000);
      return new HikariDataSource(config);
    }

    private static JdbcBackend connect(HikariDataSource pool) {
      return JdbcBackend.builder()
          .dataSource(pool)
          .createTables(true)
          .requestTimeout(Duration.ofSeconds(5))
          .build();
    }

    @Test
    void aLeaseStaysHeldWhenItsConnectionsBreakAfterTheRotation() throws Exception {
      try (HikariDataSource pool = pool();
          JdbcBackend backend = connect(pool);
          Sluice sluice = Sluice.builder().backend(backend).build();
          Sluice other = Sluice.builder().backend(backend).build()) {
        Lease lease = sluice.lock("x", FIXED).acquire(AGES);
        CompletableFuture<Lease> waiting =
            other.lock("x", FIXED).async().acquire(AGES).toCompletableFuture();
        await().atMost(AGES).until(() -> !sluice.inspect().lock("x").waiters().isEmpty());

        change("new-secret");
        assertThat(lease.renew(Duration.ofMinutes(10))).as("over an open session").isTrue();
        endSessions();
        assertThat(admits("old-secret")).isFalse();
        // the sessions are gone, and the pool still has the old password
        assertThatThrownBy(() -> lease.renew(Duration.ofMinutes(10)))
            .isInstanceOf(BackendException.class)
            .hasMessageNotContaining("secret");
        lease.checkHeld();

        pool.setPassword("new-secret");
        await()
            .atMost(AGES)
            .ignoreExceptionsInstanceOf(BackendException.class)
            .until(() -> lease.renew(Duration.ofMinutes(10)));
        lease.checkHeld();
        assertThat(waiting).isNotDone();
        lease.close();
        await().atMost(AGES).until(waiting::isDone);
        try (Lease next = waiting.join()) {
          assertThat(next.token()).isGreaterThan(lease.token());
        }
      }
    }
  }

  @Nested
  class OnPostgresql extends Rotation {
    private final PostgresqlServer server = Databases.startPostgresql();

    @AfterEach
    void stop() {
      server.close();
    }

    /** From here on the server checks the password of this user. */
    @BeforeEach
    void addUser() throws SQLException {
      execute("CREATE ROLE app LOGIN PASSWORD 'old-secret'");
      execute("CREATE DATABASE shop OWNER app");
      execute(
          "COPY (VALUES ('host all app 127.0.0.1/32 scram-sha-256'),"
              + " ('host all all 127.0.0.1/32 trust')) TO '"
              + query("SHOW hba_file")
              + "'");
      execute("SELECT pg_reload_conf()");
      await().atMost(AGES).until(() -> !admits("unknown"));
    }

    private void execute(String sql) throws SQLException {
      try (Connection admin =
              DriverManager.getConnection(PostgresqlServer.url(server.port(), "postgres"));
          Statement statement = admin.createStatement()) {
        statement.execute(sql);
      }
    }

    private String query(String sql) throws SQLException {
      try (Connection admin =
              DriverManager.getConnection(PostgresqlServer.url(server.port(), "postgres"));
          Statement statement = admin.createStatement();
          ResultSet rows = statement.executeQuery(sql)) {
        rows.next();
        return rows.getString(1);
      }
    }

    @Override
    String url() {
      return "jdbc:postgresql://127.0.0.1:" + server.port() + "/shop";
    }

    @Override
    void change(String password) throws SQLException {
      execute("ALTER ROLE app PASSWORD '" + password + "'");
    }

    @Override
    void endSessions() throws SQLException {
      String sql =
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename='app'";
      assertThat(Integer.parseInt(query(sql))).isPositive();
    }

    @Override
    String refused() {
      return "28P01";
    }
  }

  @Nested
  class OnMariadb extends Rotation {
    private final Database database = Databases.empty(Dialect.MARIADB);

    @BeforeEach
    void addUser() {
      database.execute(
          "CREATE USER app@'%' IDENTIFIED BY 'old-secret'", "GRANT ALL ON *.* TO app@'%'");
      assertThat(admits("unknown")).isFalse();
    }

    @AfterEach
    void dropUser() {
      database.execute("DROP USER app@'%'");
      database.close();
    }

    @Override
    String url() {
      return database.url().substring(0, database.url().indexOf('?'));
    }

    @Override
    void change(String password) {
      database.execute("ALTER USER app@'%' IDENTIFIED BY '" + password + "'");
    }

    @Override
    void endSessions() {
      database.execute("KILL USER app");
    }

    @Override
    String refused() {
      return "28000";
    }
  }
}
