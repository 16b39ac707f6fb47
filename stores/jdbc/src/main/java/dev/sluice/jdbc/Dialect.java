package dev.sluice.jdbc;

import dev.sluice.jdbc.dialect.SqlDialect;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A database that Sluice supports.
 *
 * @since 0.1
 */
public enum Dialect {
  /** PostgreSQL 12 or newer. */
  POSTGRESQL,
  /** MariaDB 10.6 or newer, MySQL 8.0 or newer, on InnoDB. */
  MARIADB,
  /** H2 2.2 or newer. */
  H2,
  /**
   * SQLite 3.24 or newer for guards, 3.42 or newer for the rest. It has one writer at a time, and
   * no locks of rows.
   */
  SQLITE;

  /**
   * Recognises a database. Asks the driver, not the server.
   *
   * @param connection an open connection
   * @return its dialect
   * @throws SQLException if the driver does not say
   * @throws UnsupportedOperationException if it is another database
   */
  public static Dialect of(Connection connection) throws SQLException {
    return valueOf(SqlDialect.of(connection).name());
  }

  /**
   * Recognises a database by its URL, without a connection.
   *
   * @param url a JDBC URL
   * @return its dialect
   * @throws IllegalArgumentException if it is the URL of another database
   */
  public static Dialect of(String url) {
    return valueOf(SqlDialect.of(url).name());
  }

  SqlDialect sql() {
    return SqlDialect.valueOf(name());
  }
}
