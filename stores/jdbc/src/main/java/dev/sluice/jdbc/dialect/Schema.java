package dev.sluice.jdbc.dialect;

import dev.sluice.BackendException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of a backend: their statements, and the message if they are missing. */
public final class Schema {
  private static final List<String> EACH_NEEDS =
      List.of("forget_at, rest FROM %slocks", "forget_at FROM %sstates");
  private static final List<String> STOCK_NEEDS =
      List.of("set_aside FROM %sstock", "reason FROM %sclaims");

  /** Prepares statements on an open connection. */
  @FunctionalInterface
  public interface Statements {
    PreparedStatement prepare(String sql) throws SQLException;
  }

  private final String prefix;

  public Schema(String prefix) {
    this.prefix = prefix;
  }

  /** The statements that create the tables. */
  public String ddl(SqlDialect dialect) {
    return dialect.withPrefix("schema", prefix);
  }

  /** Creates missing tables. */
  public void create(Connection connection, SqlDialect dialect) throws SQLException {
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
            SqlDialect.isDuplicate(e) || String.valueOf(e.getSQLState()).matches("42710|42P07");
        if (tries == 5 || !(made || dialect.mayTryAgain(e))) {
          throw new BackendException(
              "cannot create the tables '" + prefix + "*': " + e.getMessage(), e);
        }
      }
    }
  }

  /** Whether all tables exist. If they do, the user needs no right to create tables. */
  public boolean exists(SqlDialect dialect, Statements statements) throws SQLException {
    try {
      read(statements, EACH_NEEDS);
      read(statements, STOCK_NEEDS);
      return true;
    } catch (SQLException e) {
      if (dialect.isMissingTable(e)) {
        return false;
      }
      throw explained(dialect, e);
    }
  }

  /**
   * Throws with a remedy unless all required tables exist. The tables of limited stock are
   * optional: if they are missing, the first call that needs them throws.
   */
  public void check(SqlDialect dialect, Statements statements) throws SQLException {
    try {
      read(statements, EACH_NEEDS);
    } catch (SQLException e) {
      throw explained(dialect, e);
    }
  }

  private BackendException explained(SqlDialect dialect, SQLException failure) throws SQLException {
    String help = hint(dialect, failure);
    if (help == null) {
      throw failure;
    }
    return new BackendException(help, failure);
  }

  private void read(Statements statements, List<String> tables) throws SQLException {
    for (String columns : tables) {
      String sql = "SELECT " + String.format(columns, prefix) + " WHERE 1 = 0";
      try (PreparedStatement statement = statements.prepare(sql)) {
        statement.executeQuery().close();
      }
    }
  }

  /** The fix for a failure, if the failure concerns the tables. */
  @Nullable
  public String hint(SqlDialect dialect, SQLException failure) {
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
          + "): drop the tables while nothing uses them, and create them again, by createTables(true)"
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
