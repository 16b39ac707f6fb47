package dev.sluice.jdbc.rows;

import dev.sluice.jdbc.dialect.JdbcUrls;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Connections that Sluice opens by a URL. Safe for use by many threads. */
final class OwnConnections implements Connections {
  /** The idle time after which a connection is closed, when another one is returned. */
  static final Duration MAX_IDLE = Duration.ofMinutes(10);

  private record Idle(Connection connection, long since) {}

  private final String url;
  private final Duration longest;
  private final List<String> settings;
  private final LongSupplier clock;

  /** The connection that was used last comes first. */
  private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();

  private volatile boolean closed;
  private volatile @Nullable String first;

  /**
   * @param url where to
   * @param longest how long the driver may take, where the URL has no limit
   * @param settings the statements on each new connection
   * @param clock monotonic, nanoseconds
   */
  OwnConnections(String url, Duration longest, List<String> settings, LongSupplier clock) {
    this.url = url;
    this.longest = longest;
    this.settings = settings;
    this.clock = clock;
  }

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
    Connection made = Connections.connect(url, longest);
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
      Connections.end(made);
      throw e;
    }
  }

  @Override
  public void give(Connection connection, boolean broken) {
    if (broken) { // most likely the others are, too
      Connections.end(connection);
      endIdle();
      return;
    }
    long now = clock.getAsLong();
    idle.addFirst(new Idle(connection, now));
    if (closed) {
      endIdle();
      return;
    }
    for (Idle oldest = idle.peekLast();
        oldest != null && now - oldest.since > MAX_IDLE.toNanos();
        oldest = idle.peekLast()) {
      if (idle.remove(oldest)) {
        Connections.end(oldest.connection);
      }
    }
  }

  @Override
  public boolean areLent() {
    return false;
  }

  private void endIdle() {
    for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
      Connections.end(each.connection);
    }
  }

  @Override
  public void close() {
    closed = true;
    endIdle();
  }
}
