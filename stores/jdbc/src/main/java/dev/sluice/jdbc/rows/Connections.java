package dev.sluice.jdbc.rows;

import dev.sluice.jdbc.dialect.JdbcUrls;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Borrows and returns connections. Safe for use by many threads. */
public interface Connections extends AutoCloseable {
  /** Returns a connection for one use. May wait for the timeout of the pool. */
  Connection take() throws SQLException;

  /**
   * Returns a connection to its owner.
   *
   * @param connection with the settings that it came with
   * @param broken whether it is of no use any more
   */
  void give(Connection connection, boolean broken);

  /**
   * The first statement on each new connection that Sluice opens; none on connections of a pool.
   *
   * @param setting null: with none
   */
  default void beginWith(@Nullable String setting) {}

  /** Whether the connections belong to the application, as do their settings; there may be few. */
  boolean areLent();

  /** Closes idle connections; others are closed when they are returned. */
  @Override
  void close();

  /** The connections of the application's pool. */
  static Connections of(DataSource source) {
    return new Connections() {
      @Override
      public Connection take() throws SQLException {
        return source.getConnection();
      }

      @Override
      public void give(Connection connection, boolean broken) {
        if (broken) { // so that its pool does not lend it again as we left it
          abort(connection);
        }
        end(connection);
      }

      @Override
      public boolean areLent() {
        return true;
      }

      @Override
      public void close() {
        // the application's
      }
    };
  }

  /**
   * Connections opened by this backend, as many as were used concurrently; they stay open.
   *
   * @param url where to
   * @param longest how long the driver may take, where the URL has no limit
   */
  static Connections to(String url, Duration longest) {
    List<String> settings =
        JdbcUrls.is(url, "jdbc:sqlite:")
            ? List.of(
                "PRAGMA busy_timeout = 1000",
                "PRAGMA journal_mode = WAL",
                "PRAGMA synchronous = FULL")
            : List.of();
    return new OwnConnections(url, longest, settings, System::nanoTime);
  }

  /**
   * Opens a connection; the message of a failure contains no secret.
   *
   * @param url where to
   * @param longest how long the driver may take, where the URL has no limit
   */
  static Connection connect(String url, Duration longest) throws SQLException {
    Properties limits = JdbcUrls.limits(url, longest);
    try {
      return DriverManager.getConnection(url, limits);
    } catch (SQLException e) {
      String said = String.valueOf(e.getMessage());
      if (said.contains(url)) { // with a password, perhaps: where there is no driver for it
        throw new SQLException(
            said.replace(url, JdbcUrls.place(url)), e.getSQLState(), e.getErrorCode());
      }
      throw e;
    }
  }

  private static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      System.getLogger("dev.sluice.jdbc")
          .log(System.Logger.Level.DEBUG, "connection not aborted", e);
    }
  }

  /** Closes an unused connection, and ignores failures. */
  static void end(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      System.getLogger("dev.sluice.jdbc")
          .log(System.Logger.Level.DEBUG, "connection not closed", e);
    }
  }
}
