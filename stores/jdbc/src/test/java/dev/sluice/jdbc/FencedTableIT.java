package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.SluiceException;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.GuardStats;
import dev.sluice.guard.StaleTokenException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FencedTableIT {
  private static final FencingToken FIRST = FencingToken.parse("17:a.1");
  private static final FencingToken TWIN = FencingToken.parse("17:b.1");
  private static final FencingToken SECOND = FencingToken.parse("18:b.1");

  private static Database orders(Dialect dialect) {
    Database database = Databases.empty(dialect);
    database.execute(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, state VARCHAR(20), total INTEGER,"
            + " fence BIGINT, fence_attempt VARCHAR(64))",
        "INSERT INTO orders (id, state, total) VALUES (42, 'new', 1)");
    return database;
  }

  private static String order(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT state, total, fence FROM orders WHERE id = 42")) {
      row.next();
      return row.getString(1) + " " + row.getInt(2) + " " + row.getLong(3);
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void anUpdateRaisesTheTokenOfItsRow(Dialect dialect) throws Exception {
    FencedTable orders = FencedTable.of("orders", "id", "fence");
    try (Database database = orders(dialect);
        Connection connection = database.connect()) {
      assertThat(orders.update(connection, 42, FIRST, "state = ?, total = total + ?", "paid", 5))
          .isTrue();
      assertThat(order(connection)).isEqualTo("paid 6 17");
      assertThat(orders.update(connection, 42, FIRST, "total = ?", 7)).as("again").isTrue();
      assertThat(orders.update(connection, 42, FIRST, "total = ?", 7)).as("no change").isTrue();
      assertThat(orders.update(connection, 43, FIRST, "total = ?", 7)).as("no row").isFalse();
      assertThat(orders.update(connection, 42, SECOND, "state = ?", (Object) null)).isTrue();

      assertThatThrownBy(() -> orders.update(connection, 42, FIRST, "state = ?", "old"))
          .isInstanceOfSatisfying(
              StaleTokenException.class,
              refusal -> {
                assertThat(refusal.resource()).isEqualTo("orders/42");
                assertThat(refusal.refused()).isEqualTo(FIRST);
                assertThat(refusal.highest()).isEqualTo(FencingToken.parse("18:-"));
              });
      assertThat(order(connection)).isEqualTo("null 7 18");
      assertThat(orders.stats()).isEqualTo(new GuardStats(4, 1));
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aReadMayRaiseItFirst(Dialect dialect) throws Exception {
    FencedTable orders = FencedTable.of("orders", "id", "fence");
    try (Database database = orders(dialect);
        Connection connection = database.connect()) {
      assertThat(orders.advance(connection, 42, SECOND)).isTrue();
      assertThat(order(connection)).isEqualTo("new 1 18");
      assertThatThrownBy(() -> orders.advance(connection, 42, FIRST))
          .isInstanceOf(StaleTokenException.class);
      assertThat(orders.advance(connection, 43, FIRST)).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aColumnForTheAttemptTellsTwinsApart(Dialect dialect) throws Exception {
    FencedTable blind = FencedTable.of("orders", "id", "fence");
    FencedTable orders = blind.attempts("fence_attempt");
    try (Database database = orders(dialect);
        Connection connection = database.connect()) {
      assertThat(orders.update(connection, 42, FIRST, "total = ?", 2)).isTrue();
      assertThat(orders.update(connection, 42, FIRST, "total = ?", 2)).isTrue();
      assertThatThrownBy(() -> orders.update(connection, 42, TWIN, "total = ?", 3))
          .isInstanceOf(StaleTokenException.class)
          .hasMessageContaining("another attempt (a.1) has used the same token");
      assertThat(order(connection)).isEqualTo("new 2 17");
      assertThat(blind.update(connection, 42, TWIN, "total = ?", 3))
          .as("what a table without that column cannot see")
          .isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void inATransactionItIsUndoneWithTheRest(Dialect dialect) throws Exception {
    FencedTable orders = FencedTable.of("orders", "id", "fence");
    try (Database database = orders(dialect);
        Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      assertThat(orders.update(connection, 42, SECOND, "total = ?", 9)).isTrue();
      connection.rollback();
      assertThat(orders.update(connection, 42, FIRST, "total = ?", 8)).isTrue();
      connection.commit();
      assertThat(order(connection)).isEqualTo("new 8 17");
      connection.rollback();
    }
  }

  /** Its UPDATE sees the row as it is, and its SELECT as it was. */
  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"MARIADB", "H2"})
  void whatATransactionSawEarlierHidesNoLaterHolder(Dialect dialect) throws Exception {
    FencedTable orders = FencedTable.of("orders", "id", "fence");
    try (Database database = orders(dialect);
        Connection old = database.connect();
        Connection next = database.connect()) {
      assertThat(orders.advance(old, 42, FIRST)).isTrue();
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      old.setAutoCommit(false);
      assertThat(order(old)).isEqualTo("new 1 17");
      assertThat(orders.update(next, 42, SECOND, "state = ?", "paid")).isTrue();

      assertThatThrownBy(() -> orders.update(old, 42, FIRST, "state = ?", "old"))
          .isInstanceOf(SluiceException.class)
          .satisfiesAnyOf(
              refused -> assertThat(refused).isInstanceOf(StaleTokenException.class),
              refused -> assertThat(refused).hasCauseInstanceOf(SQLException.class));
      old.rollback();
      assertThat(order(next)).isEqualTo("paid 1 18");
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whatTheDatabaseRefusesIsToldWithItsCause(Dialect dialect) throws Exception {
    FencedTable orders = FencedTable.of("orders", "id", "no_such_column");
    try (Database database = orders(dialect);
        Connection connection = database.connect()) {
      assertThatThrownBy(() -> orders.update(connection, 42, FIRST, "total = 1"))
          .isInstanceOf(BackendException.class)
          .hasCauseInstanceOf(SQLException.class)
          .hasMessageContaining("orders");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a;b", "a--", "1a", "\"a", "a.b.c.d", "'a'"})
  void aNameThatIsNoIdentifierIsMisuse(String name) {
    assertThatThrownBy(() -> FencedTable.of(name, "id", "fence"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FencedTable.of("t", name, "fence"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FencedTable.of("t", "id", name))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FencedTable.of("t", "id", "fence").attempts(name))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
