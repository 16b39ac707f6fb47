package dev.sluice.jdbc;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.jdbc.dialect.JdbcUrls;
import dev.sluice.jdbc.dialect.Schema;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.doctor.JdbcDoctor;
import dev.sluice.jdbc.rows.Codecs;
import dev.sluice.jdbc.rows.Connections;
import dev.sluice.jdbc.rows.EventListeners;
import dev.sluice.jdbc.rows.ExpiredRows;
import dev.sluice.jdbc.rows.LockMessages;
import dev.sluice.jdbc.rows.RowStates;
import dev.sluice.jdbc.rows.RowTransactions;
import dev.sluice.jdbc.rows.Rows;
import dev.sluice.jdbc.rows.SqlExecutor;
import dev.sluice.jdbc.rows.SqlSession;
import dev.sluice.jdbc.signals.PgListener;
import dev.sluice.jdbc.signals.Watcher;
import dev.sluice.jdbc.verbs.FastLocks;
import dev.sluice.jdbc.verbs.JdbcGrants;
import dev.sluice.jdbc.verbs.JdbcInventories;
import dev.sluice.jdbc.verbs.JdbcLimits;
import dev.sluice.jdbc.verbs.JdbcNotes;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.Namespace;
import dev.sluice.spi.NoteBackend;
import dev.sluice.state.StateLatches;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.text.Names;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sluice on a SQL database: PostgreSQL, MariaDB, MySQL, H2 or SQLite. Each verb is one atomic step,
 * decided by the database's clock, in a short separate transaction that never joins a caller's.
 * What is kept is in a few tables, see {@link #ddl}.
 *
 * <p>Calls that the database undid by itself, as a victim of a deadlock for example, are repeated
 * while there is time. A call whose outcome is unknown fails with {@link
 * dev.sluice.OutcomeUnknownException}. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class JdbcBackend implements Backend {
  /** The prefix of table names (default: {@code sluice_}). */
  public static final String PREFIX = SqlDialect.PREFIX;

  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long SWEEP_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final String describe;
  private final String prefix;
  private final SqlExecutor executor;
  private final Watcher watcher;
  private final @Nullable PgListener listener;
  private final Rows rows;
  private final JdbcGrants locks;
  private final JdbcGrants permits;
  private final JdbcInventories inventories;
  private volatile boolean closed;

  private JdbcBackend(
      String describe,
      SqlDialect dialect,
      Connections connections,
      JdbcBackendBuilder settings,
      Duration timeout) {
    this.describe = describe;
    this.prefix = settings.prefix();
    Schema schema = new Schema(prefix);
    this.executor =
        new SqlExecutor(
            describe,
            dialect,
            connections,
            timeout,
            settings.threads,
            failure -> schema.hint(dialect, failure));
    EventListeners listeners = new EventListeners();
    boolean notifies = dialect == SqlDialect.POSTGRESQL && settings.wakeUps;
    RowTransactions transactions =
        new RowTransactions(
            executor, listeners, settings.rowLocking == RowLocking.PESSIMISTIC, notifies);
    this.watcher = new Watcher(executor, listeners);
    this.listener = notifies ? new PgListener(executor, connections, listeners, watcher) : null;
    this.rows = new Rows(transactions, listeners, watcher, prefix + "states");
    String table = prefix + "locks";
    boolean fast = dialect == SqlDialect.POSTGRESQL && settings.rowLocking == RowLocking.OPTIMISTIC;
    this.locks =
        new JdbcGrants(
            GrantKind.LOCK,
            transactions,
            listeners,
            watcher,
            table,
            fast ? new FastLocks(prefix) : null);
    this.permits = new JdbcGrants(GrantKind.PERMIT, transactions, listeners, watcher, table, null);
    this.inventories = new JdbcInventories(executor, prefix);
    sweepIn(SWEEP_NANOS);
  }

  /**
   * The settings of the backend.
   *
   * @return a builder
   */
  public static JdbcBackendBuilder builder() {
    return new JdbcBackendBuilder();
  }

  /**
   * The statements that create the tables, for migrations.
   *
   * @param dialect the database
   * @return statements, with a semicolon between them
   */
  public static String ddl(Dialect dialect) {
    return new Schema(PREFIX).ddl(dialect.sql());
  }

  /**
   * Returns the statements that create the tables of the store that a URL names, with those of its
   * namespace. Nothing is connected to.
   *
   * @param url as {@link JdbcBackendBuilder#url} reads it; {@code
   *     jdbc:postgresql:?namespace=shop-staging} will do
   * @return statements, with a semicolon between them
   * @throws IllegalArgumentException if it is the URL of another database, or the namespace breaks
   *     its rule
   */
  public static String ddl(String url) {
    String prefix = JdbcBackendBuilder.prefix(PREFIX, Namespace.of(url));
    return new Schema(prefix).ddl(SqlDialect.of(Namespace.without(url)));
  }

  static JdbcBackend open(Connections connections, JdbcBackendBuilder settings, Duration timeout) {
    Schema schema = new Schema(settings.prefix());
    Connection connection = null;
    boolean broken = false;
    try {
      connection = connections.take();
      SqlDialect dialect = SqlDialect.of(connection);
      String place = connection.getMetaData().getURL();
      String describe =
          dialect.product
              + " at "
              + (place == null ? "an unknown place" : JdbcUrls.place(place))
              + Namespace.suffix(settings.namespace());
      // bounded: a migration may keep the tables locked
      SqlSession session = new SqlSession(dialect, connection, timeout, () -> true);
      try {
        if (Boolean.TRUE.equals(settings.createTables)
            && !schema.exists(dialect, session::prepare)) {
          session.leave(null); // creating tables has no deadline
          schema.create(connection, dialect);
          session = new SqlSession(dialect, connection, timeout, () -> true);
        }
        schema.check(dialect, session::prepare);
        session.checkIsolation();
      } finally {
        broken = !session.leave(null);
      }
      String bound = SqlSession.boundRowWaits(dialect);
      connections.beginWith(bound);
      connections.give(connection, broken || bound != null && !connections.areLent());
      connection = null;
      return new JdbcBackend(describe, dialect, connections, settings, timeout);
    } catch (SQLException e) {
      throw new BackendException("no answer from the database: " + e.getMessage(), e);
    } finally {
      if (connection != null) {
        connections.give(connection, broken);
        connections.close();
      }
    }
  }

  /** The number of scheduled tasks. */
  int planned() {
    return executor.planned();
  }

  private void sweepIn(long nanos) {
    executor.in(
        nanos + ThreadLocalRandom.current().nextLong(nanos),
        () -> {
          if (!closed) {
            sweep()
                .whenComplete(
                    (more, failure) ->
                        sweepIn(Boolean.TRUE.equals(more) ? SWEEP_ON_NANOS : SWEEP_NANOS));
          }
        });
  }

  /** Deletes some expired rows; true if more are likely. */
  CompletableFuture<Boolean> sweep() {
    return executor.run(
        "sweep",
        session -> {
          session.writes();
          boolean more = rows.sweep(session);
          more |= ExpiredRows.sweep(session, prefix + "locks");
          return inventories.sweep(session) || more;
        });
  }

  /** Stores states of any kind. */
  Rows rows() {
    return rows;
  }

  @Override
  public String describe() {
    return describe;
  }

  @Override
  public GrantBackend locks() {
    return locks;
  }

  @Override
  public GrantBackend permits() {
    return permits;
  }

  @Override
  public LatchBackend latches() {
    return new StateLatches(
        new RowStates<>(rows, "latch", Codecs.LATCH, Names::encode, LockMessages::toName));
  }

  @Override
  public InventoryBackend inventories() {
    return inventories;
  }

  @Override
  public NoteBackend notes() {
    return new JdbcNotes(rows);
  }

  @Override
  public LimitBackend limits() {
    return new JdbcLimits(rows);
  }

  @Override
  public CompletionStage<List<Finding>> diagnose() {
    return executor.run(
        "diagnose",
        session -> JdbcDoctor.examine(describe, session.connection(), prefix, false, 1));
  }

  /** Closes the connections that it opened, not those of a {@code DataSource}. */
  @Override
  public void close() {
    closed = true;
    watcher.close();
    if (listener != null) {
      listener.close();
    }
    executor.close();
  }
}
