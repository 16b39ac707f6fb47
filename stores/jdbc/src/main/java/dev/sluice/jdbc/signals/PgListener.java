package dev.sluice.jdbc.signals;

import dev.sluice.jdbc.rows.Connections;
import dev.sluice.jdbc.rows.EventListeners;
import dev.sluice.jdbc.rows.SqlExecutor;
import dev.sluice.jdbc.rows.SqlSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Listens to PostgreSQL for all clients of this process, over one connection, while one of them
 * waits for messages. Returns the connection if requests need it more.
 */
public final class PgListener {
  private static final int SLICE_MILLIS = 50;
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The number of probes after which the rows are read in any case. */
  private static final int PROBES_PER_LOOK = 5;

  /** The silence of a server after which the rows are polled as well, until it answers. */
  private static final long POLLED_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long AFTER_LACK_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final SqlExecutor executor;
  private final Connections connections;
  private final EventListeners listeners;
  private final Watcher watcher;
  private final Thread thread;
  private volatile boolean parked;
  private volatile boolean closed;

  // guarded by this
  private int asked;
  private boolean isAsking;
  private boolean isHeard;

  public PgListener(
      SqlExecutor executor, Connections connections, EventListeners listeners, Watcher watcher) {
    this.executor = executor;
    this.connections = connections;
    this.listeners = listeners;
    this.watcher = watcher;
    this.thread = new Thread(this::run, "sluice-jdbc-listener");
    this.thread.setDaemon(true);
    this.thread.start();
    watcher.onInterest(this::wake);
  }

  private void wake() {
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closed) {
      if (!watcher.isInterested()) {
        parked = true;
        if (!watcher.isInterested() && !closed) {
          LockSupport.park(this);
        }
        parked = false;
        continue;
      }
      long pause;
      try {
        pause = listen() ? 0 : AFTER_LACK_NANOS;
      } catch (SQLException | RuntimeException e) {
        System.getLogger("dev.sluice.jdbc")
            .log(System.Logger.Level.DEBUG, "cannot listen to the database, so it is polled", e);
        pause = AFTER_FAILURE_NANOS;
      }
      long end = System.nanoTime() + pause;
      while (!closed && end - System.nanoTime() > 0) {
        LockSupport.parkNanos(this, end - System.nanoTime());
      }
    }
  }

  /**
   * Listens while a client needs it; false if the connection was returned for lack of connections.
   */
  private boolean listen() throws SQLException {
    Connection connection = connections.take();
    boolean broken = true;
    try {
      SqlSession session =
          new SqlSession(executor.dialect(), connection, executor.timeout(), () -> true);
      try {
        return listenOn(connection);
      } finally {
        deaf(); // before the server is asked once more
        broken = !stops(session);
      }
    } finally {
      connections.give(connection, broken);
    }
  }

  /** Restores the connection; false if it is unusable. */
  private static boolean stops(SqlSession session) {
    try {
      session.execute("UNLISTEN *");
      return session.leave(null);
    } catch (SQLException e) {
      session.leave(e);
      return false;
    }
  }

  private boolean listenOn(Connection connection) throws SQLException {
    PgNotifications driver = PgNotifications.of(connection);
    Set<String> heard = new HashSet<>();
    long last = System.nanoTime();
    long probed = last;
    try (Statement statement = connection.createStatement()) {
      while (!closed && System.nanoTime() - last < LINGER_NANOS) {
        List<String> more = unheard(heard);
        if (!more.isEmpty() || System.nanoTime() - probed >= PROBE_NANOS) {
          ask(statement, more);
          probed = System.nanoTime();
        }
        driver.await(SLICE_MILLIS).forEach(this::deliver);
        if (isNeededMore()) {
          return false;
        }
        if (watcher.isInterested()) {
          last = System.nanoTime();
        }
      }
    }
    return true;
  }

  /** Clients added since the last look. */
  private List<String> unheard(Set<String> heard) {
    return listeners.clients().stream().filter(heard::add).toList();
  }

  /**
   * Subscribes new clients and sends a request to the server, which detects a dead connection. The
   * session bounds how long that takes.
   */
  private void ask(Statement statement, List<String> more) throws SQLException {
    int question = begin();
    Future<?> alarm = executor.in(POLLED_AFTER_NANOS, () -> overdue(question));
    for (String client : more) {
      statement.execute("LISTEN \"" + SqlSession.channel(client) + "\"");
    }
    statement.execute("SELECT 1");
    if (alarm != null) {
      alarm.cancel(false);
    }
    answered(!more.isEmpty());
  }

  private synchronized int begin() {
    isAsking = true;
    return ++asked;
  }

  /** Polls for the messages that this connection may miss. */
  private synchronized void overdue(int question) {
    if (isAsking && question == asked) {
      isHeard = false;
      watcher.told(false);
    }
  }

  private synchronized void answered(boolean more) {
    isAsking = false;
    if (more || !isHeard || asked % PROBES_PER_LOOK == 0) {
      isHeard = true;
      watcher.told(true);
    }
  }

  private synchronized void deaf() {
    isAsking = false;
    isHeard = false;
    watcher.told(false);
  }

  /** A call has waited for a connection during a whole interval. */
  private boolean isNeededMore() {
    if (!connections.areLent() || !executor.lacksConnections()) {
      return false;
    }
    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(5));
    return executor.lacksConnections();
  }

  private void deliver(String text) {
    String[] parts = text.split(" ", 3);
    if (parts.length == 3) {
      listeners.deliver(new EventListeners.Message(parts[0], parts[1], parts[2]));
    }
  }

  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
