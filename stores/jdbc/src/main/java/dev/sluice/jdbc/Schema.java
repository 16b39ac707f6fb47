package dev.sluice.jdbc;

import dev.sluice.BackendException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of a backend: how they are made, and what to say where they are not. */
final class Schema {
  private static final List<String> EACH_NEEDS =
      List.of("version, rest FROM %slocks", "forget_at FROM %sstates");
  private static final List<String> STOCK_NEEDS =
      List.of("set_aside FROM %sstock", "reason FROM %sclaims");

  private final String prefix;

  Schema(String prefix) {
    this.prefix = prefix;
  }

  /** The statements that make the tables. */
  String ddl(Dialect dialect) {
    return dialect.withPrefix("schema", prefix);
  }

  /** Makes what is missing. */
  void create(Connection connection, Dialect dialect) throws SQLException {
    for (int tries = 1; ; tries++) {
      try (Statement statement = connection.createStatement()) {
        for (String each : ddl(dialect).split(";")) {
          statement.execute(each);
        }
        if (!connection.getAutoCommit()) {
          connection.commit();
        }
        return;
      } catch (SQLException e) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
        // PostgreSQL: another one made it just now, the row of the catalogue, the type or the table
        boolean made =
            Dialect.isDuplicate(e) || String.valueOf(e.getSQLState()).matches("42710|42P07");
        if (tries == 5 || !(made || dialect.mayTryAgain(e))) {
          throw new BackendException(
              "cannot make the tables '" + prefix + "*': " + e.getMessage(), e);
        }
      }
    }
  }

  /** Whether all tables are there, so that nobody need have the right to make some. */
  boolean exists(Session session) throws SQLException {
    try {
      read(session, EACH_NEEDS);
      read(session, STOCK_NEEDS);
      return true;
    } catch (SQLException e) {
      if (session.dialect.isMissingTable(e)) {
        return false;
      }
      throw explained(session.dialect, e);
    }
  }

  /**
   * Fails with what helps unless the tables are there that everybody needs. Those of limited stock
   * came later: who does not use it can do without, and who does is told by the first call.
   */
  void check(Session session) throws SQLException {
    try {
      read(session, EACH_NEEDS);
    } catch (SQLException e) {
      throw explained(session.dialect, e);
    }
  }

  private BackendException explained(Dialect dialect, SQLException failure) throws SQLException {
    String help = hint(dialect, failure);
    if (help == null) {
      throw failure;
    }
    return new BackendException(help, failure);
  }

  private void read(Session session, List<String> tables) throws SQLException {
    for (String columns : tables) {
      String sql = "SELECT " + String.format(columns, prefix) + " WHERE 1 = 0";
      try (PreparedStatement statement = session.prepare(sql)) {
        statement.executeQuery().close();
      }
    }
  }

  /** What helps against a failure, if it is about the tables. */
  @Nullable String hint(Dialect dialect, SQLException failure) {
    if (dialect.isMissingTable(failure)) {
      return "a table '"
          + prefix
          + "*' is missing: call createTables(true), or put this into your migrations:\n"
          + ddl(dialect)
          + ";";
    }
    if (dialect.isMissingColumn(failure)) {
      return "a table '"
          + prefix
          + "*' is not as this version needs it ("
          + failure.getMessage()
          + "): drop the tables while nothing uses them, and make them anew, by createTables(true)"
          + " or by:\n"
          + ddl(dialect)
          + ";";
    }
    if (dialect.isForbidden(failure)) {
      return "the user of the database may not do what is needed: grant SELECT, INSERT, UPDATE and"
          + " DELETE on "
          + prefix
          + "locks and "
          + prefix
          + "states, and for limited stock on "
          + prefix
          + "stock and "
          + prefix
          + "claims: "
          + failure.getMessage();
    }
    return null;
  }
}
