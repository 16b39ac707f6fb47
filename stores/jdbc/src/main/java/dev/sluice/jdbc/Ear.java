package dev.sluice.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Listens to PostgreSQL for all clients of this process, over one connection, while somebody here
 * waits for news. Gives the connection back where it is needed more.
 */
final class Ear {
  private static final int SLICE_MILLIS = 50;
  private static final int SLICES_PER_CHECK = 100;
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long AFTER_LACK_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Steps steps;
  private final Connections connections;
  private final Inboxes inboxes;
  private final Watcher watcher;
  private final Thread thread;
  private volatile boolean parked;
  private volatile boolean closed;

  Ear(Steps steps, Connections connections, Inboxes inboxes, Watcher watcher) {
    this.steps = steps;
    this.connections = connections;
    this.inboxes = inboxes;
    this.watcher = watcher;
    this.thread = new Thread(this::run, "sluice-jdbc-ear");
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

  /** Listens as long as it is of use; false if the connection was given back because of a lack. */
  private boolean listen() throws SQLException {
    Connection connection = connections.take();
    boolean broken = true;
    try {
      Session session = new Session(steps.dialect(), connection, steps.timeout(), () -> true);
      try {
        return listenOn(connection);
      } finally {
        broken = !stops(session);
      }
    } finally {
      watcher.told(false);
      connections.give(connection, broken);
    }
  }

  /** Leaves the connection as it was; false if it is of no use any more. */
  private static boolean stops(Session session) {
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
    try (Statement statement = connection.createStatement()) {
      for (int slices = 1; !closed && System.nanoTime() - last < LINGER_NANOS; slices++) {
        if (hearAll(statement, heard) || slices % SLICES_PER_CHECK == 0) {
          statement.execute("SELECT 1"); // a server that is gone without a word is noticed here
          watcher.told(true);
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

  /** Listens for clients that are new; true if there were any. */
  private boolean hearAll(Statement statement, Set<String> heard) throws SQLException {
    boolean more = false;
    for (String client : inboxes.clients()) {
      if (heard.add(client)) {
        statement.execute("LISTEN \"" + Session.channel(client) + "\"");
        more = true;
      }
    }
    return more;
  }

  /** A call has waited for a connection all through a moment. */
  private boolean isNeededMore() {
    if (!connections.areLent() || !steps.lacksConnections()) {
      return false;
    }
    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(5));
    return steps.lacksConnections();
  }

  private void deliver(String text) {
    String[] parts = text.split(" ", 3);
    if (parts.length == 3) {
      inboxes.deliver(new Inboxes.Letter(parts[0], parts[1], parts[2]));
    }
  }

  void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
