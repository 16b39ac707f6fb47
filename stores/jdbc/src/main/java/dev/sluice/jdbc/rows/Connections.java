package dev.sluice.jdbc.rows;

import dev.sluice.jdbc.dialect.JdbcUrls;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Borrows and returns connections. Safe for use by many threads. */
public interface Connections extends AutoCloseable {
  /** The idle time after which a connection opened here is closed. */
  Duration MOST_IDLE = Duration.ofMinutes(10);

  /** An idle connection opened here. */
  record Idle(Connection connection, long since) {}

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
    return JdbcUrls.is(url, "jdbc:sqlite:")
        ? own(
            url,
            longest,
            "PRAGMA busy_timeout = 1000",
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL")
        : own(url, longest);
  }

  private static Connections own(String url, Duration longest, String... settings) {
    return new Connections() {
      private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();
      private volatile boolean closed;
      private volatile @Nullable String first;

      @Override
      public void beginWith(@Nullable String setting) {
        first = setting;
      }

      @Override
      public Connection take() throws SQLException {
        Idle known = idle.pollFirst();
        return known == null ? open() : known.connection;
      }

      private Connection open() throws SQLException {
        Connection made = connect(url, longest);
        try (Statement statement = made.createStatement()) {
          if (JdbcUrls.limits(url, longest).containsKey("socketTimeout")) {
            made.setNetworkTimeout(Runnable::run, 0); // from here on each session sets its own
          }
          if (SqlSession.isMariadb(made)) {
            statement.execute(SqlSession.idleTransactions(longest));
          }
          for (String setting : settings) {
            statement.execute(setting);
          }
          String more = first;
          if (more != null) {
            statement.execute(more);
          }
          return made;
        } catch (SQLException e) {
          end(made);
          throw e;
        }
      }

      @Override
      public void give(Connection connection, boolean broken) {
        if (broken) { // most likely the others are, too
          end(connection);
          endIdle();
          return;
        }
        idle.addFirst(new Idle(connection, System.nanoTime()));
        Idle oldest = idle.peekLast();
        if (closed) {
          endIdle();
        } else if (oldest != null
            && System.nanoTime() - oldest.since > MOST_IDLE.toNanos()
            && idle.remove(oldest)) {
          end(oldest.connection);
        }
      }

      @Override
      public boolean areLent() {
        return false;
      }

      private void endIdle() {
        for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
          end(each.connection);
        }
      }

      @Override
      public void close() {
        closed = true;
        endIdle();
      }
    };
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
