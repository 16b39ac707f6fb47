package dev.sluice.jdbc.rows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.jdbc.Database;
import dev.sluice.jdbc.Databases;
import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.doctor.JdbcDoctor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A connection is given back as it came. */
class SqlSessionIT {
  private static final Duration MAX_DURATION = Duration.ofSeconds(5);
  private static final long HOUR = 3_600_000_000L;

  private static SqlSession session(Dialect dialect, Connection connection) throws SQLException {
    return new SqlSession(SqlDialect.valueOf(dialect.name()), connection, MAX_DURATION, () -> true);
  }

  private static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  /** A connection of which one method fails. */
  private static Connection failing(Connection real, String failing) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals(failing)) {
                throw new SQLException("no " + failing);
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void h2sConnectionKeepsItsQueryTimeout() throws Exception {
    try (Database database = Databases.empty(Dialect.H2);
        Connection connection = database.connect()) {
      database.execute(JdbcBackend.ddl(Dialect.H2).split(";"));
      SqlSession session = session(Dialect.H2, connection);
      assertThat(session.now()).isPositive();
      JdbcDoctor.examine("here", connection, JdbcBackend.PREFIX, false, 5);
      assertThat(session.leave(null)).isTrue();
      try (Statement statement = connection.createStatement()) {
        assertThat(statement.getQueryTimeout()).isZero();
      }
    }
  }

  @Test
  void whatCanBePutBackIsPutBackWhateverFails() throws Exception {
    try (Database database = Databases.empty(Dialect.POSTGRESQL);
        Connection real = database.connect()) {
      real.setAutoCommit(false);
      real.setNetworkTimeout(Runnable::run, 12_345);
      SqlSession session = session(Dialect.POSTGRESQL, failing(real, "rollback"));
      session.begin();
      SQLException because = new SQLException("because");
      assertThat(session.leave(because)).isFalse();
      assertThat(because.getSuppressed()).hasSize(1);
      assertThat(real.getNetworkTimeout()).isEqualTo(12_345);
      assertThat(real.getAutoCommit()).isFalse();
    }
  }

  @Test
  void aBrokenConnectionIsNotLentAgainByItsPool() throws Exception {
    try (Database database = Databases.empty(Dialect.POSTGRESQL);
        Connection real = database.connect();
        Connection other = database.connect()) {
      Connections.of(database.source()).give(failing(other, "close"), false);
      assertThat(other.isClosed()).isFalse();
      Connections.of(database.source()).give(failing(real, "close"), true);
      assertThat(real.isClosed()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    // journal, level of the connection, at a grant, at a release
    "WAL, 3, 3, 1", "WAL, 2, 2, 1", "WAL, 1, 2, 1", "WAL, 0, 2, 1",
    "DELETE, 3, 3, 3", "DELETE, 2, 2, 2", "DELETE, 1, 2, 1", "DELETE, 0, 2, 1"
  })
  void sqliteIsAsSafeAsItWasOrSafer(
      String journal, int level, int grant, int release, @TempDir Path folder) throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("a.db");
    try (Connection connection = DriverManager.getConnection(url)) {
      ask(connection, "PRAGMA journal_mode = " + journal);
      SqlSession session = session(Dialect.SQLITE, connection);
      session.execute("PRAGMA synchronous = " + level);
      session.sync(SqlSession.Sync.FULL);
      assertThat(ask(connection, "PRAGMA synchronous")).isEqualTo("" + grant);
      session.leave(null);
      assertThat(ask(connection, "PRAGMA synchronous")).isEqualTo("" + level);
      session = session(Dialect.SQLITE, connection);
      session.sync(SqlSession.Sync.NORMAL);
      assertThat(ask(connection, "PRAGMA synchronous")).isEqualTo("" + release);
      session.leave(null);
      assertThat(ask(connection, "PRAGMA synchronous")).isEqualTo("" + level);
    }
  }

  /** A statement that begins before a change of the local time and reads the clock after it. */
  @Test
  void mariadbsClockDoesNotFollowLocalTime() throws Exception {
    try (Database database = Databases.empty(Dialect.MARIADB);
        Connection connection = database.connect()) {
      SqlSession session = session(Dialect.MARIADB, connection);
      long real = Long.parseLong(ask(connection, "SELECT FLOOR(UNIX_TIMESTAMP(NOW(6)) * 1000000)"));
      // when the statement began, as far as the database knows
      session.execute("SET timestamp = " + (real - 5_000_000) / 1e6);
      assertThat(session.now()).as("it has waited").isGreaterThanOrEqualTo(real);
      for (long hours : new long[] {-1, 1}) {
        long began = real + hours * HOUR;
        session.execute("SET timestamp = " + began / 1_000_000);
        assertThat(session.now()).isEqualTo(began / 1_000_000 * 1_000_000);
      }
    }
  }
}
