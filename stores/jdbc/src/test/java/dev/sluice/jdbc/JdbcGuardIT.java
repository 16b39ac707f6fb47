package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.lock.Lease;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour that is particular to a guard in a transaction. */
class JdbcGuardIT {
  private static final FencingToken FIRST = FencingToken.parse("17:a.1");
  private static final FencingToken SECOND = FencingToken.parse("18:b.1");

  private JdbcGuard guard = JdbcGuard.create(answering(DataSource.class, "none"));

  /** With the table. SQLite begins a transaction at once, so that is made before any. */
  private Database guarded(Dialect dialect) {
    Database database = empty(dialect);
    guard.createTable();
    return database;
  }

  private Database empty(Dialect dialect) {
    Database database = Databases.empty(dialect);
    guard = JdbcGuard.create(database.source());
    return database;
  }

  private static Connection begin(Database database) throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aConnectionThatCommitsByItselfIsRefused(Dialect dialect) throws Exception {
    try (Database database = guarded(dialect);
        Connection connection = database.connect()) {
      assertThatThrownBy(() -> guard.advance(connection, "x", FIRST))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
      assertThatThrownBy(() -> guard.check(connection, "x", FIRST))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aMissingTableIsNamedWithTheStatementThatMakesIt(Dialect dialect) throws Exception {
    try (Database database = empty(dialect)) {
      try (Connection connection = begin(database)) {
        assertThatThrownBy(() -> guard.advance(connection, "x", FIRST))
            .isInstanceOf(BackendException.class)
            .hasCauseInstanceOf(SQLException.class)
            .hasMessageContaining("createTable")
            .hasMessageContaining(guard.ddl(dialect) + ";");
        connection.rollback();
      }
      database.execute(guard.ddl(dialect));
      try (Connection connection = begin(database)) {
        guard.advance(connection, "x", FIRST);
        connection.commit();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whatIsRolledBackWasNotRaised(Dialect dialect) throws Exception {
    try (Database database = guarded(dialect);
        Connection connection = begin(database)) {
      guard.advance(connection, "x", FIRST);
      connection.commit();
      guard.advance(connection, "x", SECOND);
      connection.rollback();
      guard.check(connection, "x", FIRST);
      guard.advance(connection, "x", FIRST);
      connection.commit();
    }
  }

  /** The stale holder stands behind the later one, and then hears of it. */
  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"POSTGRESQL", "MARIADB", "H2"})
  void theRowIsLockedUntilTheTransactionEnds(Dialect dialect) throws Exception {
    try (Database database = guarded(dialect);
        Connection later = begin(database);
        Connection stale = begin(database);
        Connection other = begin(database)) {
      guard.advance(stale, "x", FIRST);
      stale.commit();
      guard.advance(later, "x", SECOND);
      CountDownLatch started = new CountDownLatch(1);
      FutureTask<Void> late =
          new FutureTask<>(
              () -> {
                started.countDown();
                guard.advance(stale, "x", FIRST);
                return null;
              });
      Thread thread = new Thread(late);
      thread.setDaemon(true);
      thread.start();
      assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
      guard.advance(other, "y", FIRST);
      other.commit();
      assertThatThrownBy(() -> late.get(300, TimeUnit.MILLISECONDS))
          .as("not answered while the later holder's transaction is open")
          .isInstanceOf(java.util.concurrent.TimeoutException.class);

      later.commit();
      assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(StaleTokenException.class)
          .hasMessageContaining("token 18");
      stale.rollback();
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aLeaseGuardsWhatItIsNamedAfter(Dialect dialect) throws Exception {
    try (Database database = guarded(dialect);
        Connection connection = begin(database);
        Sluice sluice = Sluice.connect("memory:")) {
      Lease lease = sluice.lock("orders/42").acquire(Duration.ofSeconds(10));
      guard.advance(connection, lease);
      guard.check(connection, lease);
      connection.commit();
      lease.close();
      try (Lease next = sluice.lock("orders/42").acquire(Duration.ofSeconds(10))) {
        guard.on(connection).advance(next);
        connection.commit();
        assertThatThrownBy(() -> guard.advance(connection, lease))
            .isInstanceOfSatisfying(
                StaleTokenException.class,
                refusal -> {
                  assertThat(refusal.resource()).isEqualTo("orders/42");
                  assertThat(refusal.refused()).isEqualTo(FencingToken.of(lease));
                  assertThat(refusal.highest()).isEqualTo(FencingToken.of(next));
                });
        connection.rollback();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aTableMayHaveAnotherNameAndAResourceMayBeForgotten(Dialect dialect) throws Exception {
    try (Database database = empty(dialect)) {
      JdbcGuard other = JdbcGuard.create(database.source(), "my_Guards_2");
      other.createTable();
      try (Connection connection = begin(database)) {
        other.advance(connection, "x", SECOND);
        other.forget(connection, "x");
        other.advance(connection, "x", FIRST);
        connection.commit();
        assertThatThrownBy(() -> guard.advance(connection, "x", FIRST))
            .hasMessageContaining("'sluice_guard' is missing");
        connection.rollback();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a;b", "a.b.c", "1a", "\"a\"", "a-b"})
  void aTableNameThatIsNoneIsMisuse(String table) {
    assertThatThrownBy(() -> JdbcGuard.create(answering(DataSource.class, "none"), table))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anotherDatabaseIsRefusedWithTheNamesOfThoseThatAreKnown() {
    DatabaseMetaData facts = answering(DatabaseMetaData.class, "Oracle");
    Connection connection = answering(Connection.class, facts);
    assertThatThrownBy(() -> Dialect.of(connection))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "Sluice does not support Oracle: it supports PostgreSQL, MariaDB, MySQL, H2 and"
                + " SQLite");
  }

  /** Stands for a driver that we do not have: it has one answer. */
  private static <T> T answering(Class<T> type, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answer));
  }
}
