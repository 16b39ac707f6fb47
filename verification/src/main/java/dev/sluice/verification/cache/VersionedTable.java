package dev.sluice.verification.cache;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A table of a SQL database whose rows have a version that every write raises. Thread-safe. */
public final class VersionedTable {

  /** A written row: its version, and a text that no other write uses. */
  public record Row(long version, String stamp) {

    String text() {
      return version + ":" + stamp;
    }

    static Row of(String text) {
      int colon = text.indexOf(':');
      return new Row(Long.parseLong(text.substring(0, colon)), text.substring(colon + 1));
    }
  }

  private final DataSource database;

  /**
   * Creates the table again.
   *
   * @param database whose transactions see what is committed, and nothing else
   * @param keys how many rows, from 0
   */
  public VersionedTable(DataSource database, int keys) {
    this.database = database;
    inTransaction(
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS item");
            statement.execute(
                "CREATE TABLE item (id INT PRIMARY KEY, version BIGINT, stamp VARCHAR(100))");
            for (int key = 0; key < keys; key++) {
              statement.execute("INSERT INTO item VALUES (" + key + ", 0, 'first')");
            }
          }
          return true;
        });
  }

  /**
   * Reads what is committed.
   *
   * @param key a row
   * @return version and stamp
   */
  public Row read(int key) {
    return inTransaction(
        connection -> {
          try (PreparedStatement query =
              connection.prepareStatement("SELECT version, stamp FROM item WHERE id = ?")) {
            query.setInt(1, key);
            try (ResultSet rows = query.executeQuery()) {
              rows.next();
              return new Row(rows.getLong(1), rows.getString(2));
            }
          }
        });
  }

  /**
   * Raises the version in a transaction.
   *
   * @param key a row
   * @param stamp distinguishes this write from every other
   * @param before runs when the row is written, and nothing is committed
   * @return what was committed
   */
  public Row write(int key, String stamp, Runnable before) {
    return inTransaction(
        connection -> {
          try (PreparedStatement update =
              connection.prepareStatement(
                  "UPDATE item SET version = version + 1, stamp = ? WHERE id = ?")) {
            update.setString(1, stamp);
            update.setInt(2, key);
            update.executeUpdate();
          }
          before.run();
          try (PreparedStatement query =
              connection.prepareStatement("SELECT version FROM item WHERE id = ?")) {
            query.setInt(1, key);
            try (ResultSet rows = query.executeQuery()) {
              rows.next();
              return new Row(rows.getLong(1), stamp);
            }
          }
        });
  }

  @FunctionalInterface
  private interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  private <T> T inTransaction(Work<T> work) {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.in(connection);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
