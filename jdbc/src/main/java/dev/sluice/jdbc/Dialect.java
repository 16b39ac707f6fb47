package dev.sluice.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;

/** A database that Sluice speaks to. */
public enum Dialect {
  /** PostgreSQL 12 or newer. */
  POSTGRESQL(1, " FOR UPDATE"),
  /** MariaDB 10.6 or newer, MySQL 8.0 or newer, on InnoDB. */
  MARIADB(2, " FOR UPDATE"),
  /** H2 2.2 or newer. */
  H2(1, " FOR UPDATE"),
  /** SQLite 3.24 or newer. It has one writer at a time, and no locks of rows. */
  SQLITE(1, "");

  /** What the statement that raises a guard counts when it surely has raised it. */
  final int raised;

  /** Keeps a row as it was read until the end of the transaction. */
  final String forUpdate;

  Dialect(int raised, String forUpdate) {
    this.raised = raised;
    this.forUpdate = forUpdate;
  }

  /**
   * Recognises a database. Asks the driver, not the server.
   *
   * @param connection an open connection
   * @return its dialect
   * @throws SQLException if the driver does not say
   * @throws UnsupportedOperationException if it is another database
   */
  public static Dialect of(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> POSTGRESQL;
      case "mariadb", "mysql" -> MARIADB;
      case "h2" -> H2;
      case "sqlite" -> SQLITE;
      default ->
          throw new UnsupportedOperationException(
              "no guard for "
                  + product
                  + ": there is one for PostgreSQL, MariaDB, MySQL, H2 and SQLite");
    };
  }

  /** A statement of this dialect, for a table of another name. */
  String statement(String name, String table) {
    String file = name + "-" + name().toLowerCase(Locale.ROOT) + ".sql";
    try (InputStream in = Dialect.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .strip()
          .replace(JdbcGuard.TABLE, table);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where names are kept as bytes, because texts would be compared without their last blanks. */
  void setName(PreparedStatement statement, int index, String name) throws SQLException {
    if (this == MARIADB) {
      statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
    } else {
      statement.setString(index, name);
    }
  }

  boolean isMissingTable(SQLException failure) {
    String state = failure.getSQLState();
    return "42P01".equals(state) // PostgreSQL
        || "42S02".equals(state) // MariaDB, MySQL, H2
        || "42S04".equals(state) // H2, where it knows no similar one
        || this == SQLITE && String.valueOf(failure.getMessage()).contains("no such table");
  }

  /** Two connections made the same row or table at once; the later one may try again. */
  static boolean isDuplicate(SQLException failure) {
    return String.valueOf(failure.getSQLState()).startsWith("23");
  }
}
