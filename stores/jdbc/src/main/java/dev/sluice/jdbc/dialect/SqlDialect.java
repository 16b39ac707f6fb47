package dev.sluice.jdbc.dialect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.Locale;

/** The SQL, the names and the failures of one kind of database. */
public enum SqlDialect {
  /** PostgreSQL 12 or newer. */
  POSTGRESQL(
      1,
      " FOR UPDATE",
      "PostgreSQL",
      "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"),
  /** MariaDB 10.6 or newer, MySQL 8.0 or newer, on InnoDB. */
  MARIADB(
      2,
      " FOR UPDATE",
      "MariaDB",
      // UTC_TIMESTAMP is the moment at which the statement began, perhaps before it waited for a
      // row. What it waited is known by local times only: more than ten minutes, or less than
      // nothing, is a change to or from summer time
      "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"
          + " + CASE WHEN TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) BETWEEN 0 AND 600000000"
          + " THEN TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) ELSE 0 END)"),
  /** H2 2.2 or newer. */
  H2(1, " FOR UPDATE", "H2", "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)"),
  /**
   * SQLite 3.24 or newer for guards, 3.42 or newer for the rest. It has one writer at a time, and
   * no locks of rows.
   */
  SQLITE(1, "", "SQLite", "(CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) * 1000)");

  /** The update count of the statement that raises a guard, if it has certainly raised it. */
  public final int raised;

  /** Locks a row that was read until the end of the transaction. */
  public final String forUpdate;

  /** The display name of the product. */
  public final String product;

  /** The database's clock when the expression is computed: microseconds since the epoch. */
  public final String now;

  SqlDialect(int raised, String forUpdate, String product, String now) {
    this.raised = raised;
    this.forUpdate = forUpdate;
    this.product = product;
    this.now = now;
  }

  /**
   * Recognises a database. Asks the driver, not the server.
   *
   * @param connection an open connection
   * @return its dialect
   * @throws SQLException if the driver does not say
   * @throws UnsupportedOperationException if it is another database
   */
  public static SqlDialect of(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> POSTGRESQL;
      case "mariadb", "mysql" -> MARIADB;
      case "h2" -> H2;
      case "sqlite" -> SQLITE;
      default ->
          throw new UnsupportedOperationException(
              "Sluice does not support "
                  + product
                  + ": it supports PostgreSQL, MariaDB, MySQL, H2 and SQLite");
    };
  }

  /**
   * Recognises a database by its URL, without a connection.
   *
   * @param url a JDBC URL
   * @return its dialect
   * @throws IllegalArgumentException if it is the URL of another database
   */
  public static SqlDialect of(String url) {
    return switch (JdbcUrls.product(url)) {
      case "postgresql" -> POSTGRESQL;
      case "mariadb", "mysql" -> MARIADB;
      case "h2" -> H2;
      default -> SQLITE;
    };
  }

  /**
   * The suffix that makes a SELECT read what an UPDATE would read; empty for an unknown database.
   */
  public static String forUpdate(Connection connection) throws SQLException {
    try {
      return of(connection).forUpdate;
    } catch (UnsupportedOperationException e) {
      return "";
    }
  }

  /** The prefix of table names in the SQL resources. */
  public static final String PREFIX = "sluice_";

  /** The table of guards in the SQL resources. */
  public static final String GUARD_TABLE = "sluice_guard";

  /** Returns a statement of this dialect for another table of guards. */
  public String statement(String name, String table) {
    return resource(name).replace(GUARD_TABLE, table);
  }

  /** Returns the statements of this dialect for another table prefix. */
  public String withPrefix(String name, String prefix) {
    return resource(name).replace(PREFIX, prefix);
  }

  private String resource(String name) {
    String file = name + "-" + name().toLowerCase(Locale.ROOT) + ".sql";
    try (InputStream in = SqlDialect.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Names are stored as bytes, because this database ignores trailing blanks when it compares
   * texts.
   */
  public void setName(PreparedStatement statement, int index, String name) throws SQLException {
    if (this == MARIADB) {
      statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
    } else {
      statement.setString(index, name);
    }
  }

  /** Sets a name in a column of the backend's tables. */
  public void setKey(PreparedStatement statement, int index, String key) throws SQLException {
    if (hasBytesForNames()) {
      statement.setBytes(index, key.getBytes(StandardCharsets.UTF_8));
    } else {
      statement.setString(index, key);
    }
  }

  /** Reads a name from a column of the backend's tables. */
  public String key(ResultSet row, int index) throws SQLException {
    return hasBytesForNames()
        ? new String(row.getBytes(index), StandardCharsets.UTF_8)
        : row.getString(index);
  }

  /** The comparison of texts may depend on the collation of the database. */
  private boolean hasBytesForNames() {
    return this == MARIADB || this == H2;
  }

  public boolean isMissingTable(SQLException failure) {
    String state = failure.getSQLState();
    return "42P01".equals(state) // PostgreSQL
        || "42S02".equals(state) // MariaDB, MySQL, H2
        || "42S03".equals(state) // H2, where it knows a similar one: the same, if made just now
        || "42S04".equals(state) // H2, where it knows none
        || this == SQLITE && String.valueOf(failure.getMessage()).contains("no such table");
  }

  /** The table is of an older version. */
  boolean isMissingColumn(SQLException failure) {
    String state = failure.getSQLState();
    return "42703".equals(state) // PostgreSQL
        || "42S22".equals(state) // MariaDB, MySQL, H2
        || this == SQLITE && String.valueOf(failure.getMessage()).contains("no such column");
  }

  /** The user lacks a right, or the file is read-only. */
  public boolean isForbidden(SQLException failure) {
    int code = failure.getErrorCode();
    return switch (this) {
      case POSTGRESQL -> "42501".equals(failure.getSQLState());
      case MARIADB -> code == 1142 || code == 1143 || code == 1044;
      case H2 -> code == 90096 || code == 90097;
      case SQLITE -> (code & 0xff) == 8;
    };
  }

  /** The database rolled back the transaction, and a retry may succeed. */
  public boolean mayTryAgain(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    int code = failure.getErrorCode();
    return switch (this) {
      case POSTGRESQL -> state.equals("40001") || state.equals("40P01") || state.equals("55P03");
      case MARIADB -> state.equals("40001") || code == 1205 || code == 1213 || code == 1020;
      case H2 -> state.equals("40001") || code == 50200 || code == 90131;
      case SQLITE -> (code & 0xff) == 5 || (code & 0xff) == 6;
    };
  }

  /** Another transaction locks a row for longer than the statement's lock timeout. */
  public boolean isRowTaken(SQLException failure) {
    return switch (this) {
      case POSTGRESQL -> "55P03".equals(failure.getSQLState());
      case MARIADB -> failure.getErrorCode() == 1205;
      case H2, SQLITE -> false;
    };
  }

  /** The connection is broken, and the outcome of the statement is unknown. */
  public boolean isBroken(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    return state.startsWith("08")
        || state.startsWith("57P")
        || this == POSTGRESQL && state.equals("25P03") // a transaction that was idle for too long
        || failure instanceof SQLNonTransientConnectionException
        || failure instanceof SQLRecoverableException
        || this == H2 && (state.equals("90067") || state.equals("90098") || state.equals("90121"));
  }

  /** The server has become read-only; nothing was done. */
  public boolean isReadOnly(SQLException failure) {
    int code = failure.getErrorCode();
    return switch (this) {
      case POSTGRESQL -> "25006".equals(failure.getSQLState());
      case MARIADB -> code == 1290 || code == 1836;
      case H2, SQLITE -> false;
    };
  }

  /** Two connections created the same row or table concurrently; the later one may retry. */
  public static boolean isDuplicate(SQLException failure) {
    return String.valueOf(failure.getSQLState()).startsWith("23");
  }
}
