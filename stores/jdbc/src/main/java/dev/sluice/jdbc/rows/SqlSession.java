package dev.sluice.jdbc.rows;

import dev.sluice.jdbc.dialect.SqlDialect;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One use of a connection, which restores its settings. Statements commit by themselves unless
 * {@link #begin} was called. For one thread.
 */
public final class SqlSession {

  /** Another transaction committed first, so the step is retried. */
  static final class Again extends SQLException {
    private static final long serialVersionUID = 1L;

    Again() {
      super("another transaction changed the row", "40001");
    }
  }

  /** The caller has given up; nothing was done. */
  static final class Abandoned extends SQLException {
    private static final long serialVersionUID = 1L;

    Abandoned() {
      super("the caller has gone");
    }
  }

  /** SQLite's synchronization of a commit: {@code PRAGMA synchronous}. */
  public enum Sync {
    NORMAL(1),
    FULL(2);

    private final int level;

    Sync(int level) {
      this.level = level;
    }
  }

  private static final int MARGIN_MILLIS = 500;

  /**
   * The lock timeout of a statement, in milliseconds on PostgreSQL; MariaDB and MySQL count
   * seconds.
   */
  private static final int ROW_WAIT_MILLIS = 500;

  /** The owner of the connections, and their settings. */
  public record Terms(SqlDialect dialect, Duration longest, boolean lent) {

    int seconds() {
      return SqlSession.seconds(longest);
    }
  }

  public final SqlDialect dialect;
  private final Connection connection;
  private final BooleanSupplier mayWrite;
  private final Runnable wroteNothing;
  private final boolean autoCommit;
  private final int networkTimeout;
  private final int seconds;
  private final boolean lent;
  private boolean inTransaction;
  private int syncBefore = -1;
  private boolean isBounded;

  /**
   * Prepares a connection for use.
   *
   * @param dialect whose it is
   * @param connection the connection
   * @param longest how long one statement may take
   * @param mayWrite asked before the first write: whether the caller is still there
   */
  public SqlSession(
      SqlDialect dialect, Connection connection, Duration longest, BooleanSupplier mayWrite)
      throws SQLException {
    this(new Terms(dialect, longest, false), connection, mayWrite, () -> {});
  }

  /**
   * Prepares a connection for use.
   *
   * @param terms of all sessions
   * @param wroteNothing called when what was to be written surely was not
   */
  public SqlSession(
      Terms terms, Connection connection, BooleanSupplier mayWrite, Runnable wroteNothing)
      throws SQLException {
    this.dialect = terms.dialect;
    this.lent = terms.lent;
    this.connection = connection;
    this.mayWrite = mayWrite;
    this.wroteNothing = wroteNothing;
    this.seconds = terms.seconds();
    this.autoCommit = connection.getAutoCommit();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    int millis =
        (int) Math.min(Integer.MAX_VALUE, TimeUnit.SECONDS.toMillis(seconds)) + MARGIN_MILLIS;
    boolean hasNetwork = dialect == SqlDialect.POSTGRESQL || dialect == SqlDialect.MARIADB;
    this.networkTimeout = hasNetwork ? connection.getNetworkTimeout() : -1;
    if (hasNetwork) { // a server that vanished must not block a thread for ever
      connection.setNetworkTimeout(Runnable::run, millis);
    }
  }

  /** Reads only committed rows. PostgreSQL and SQLite hide them from other transactions. */
  public void checkIsolation() throws SQLException {
    if ((dialect == SqlDialect.MARIADB || dialect == SqlDialect.H2)
        && connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
      throw new IllegalArgumentException(
          "connections must not be at READ UNCOMMITTED, which shows what is never committed:"
              + " set READ COMMITTED or higher");
    }
  }

  /** Creates a statement with a timeout. */
  public PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    // on SQLite it is the time to wait for other writers; on H2 it would stay with the connection
    if (dialect != SqlDialect.SQLITE && dialect != SqlDialect.H2) {
      statement.setQueryTimeout(seconds);
    }
    return statement;
  }

  private static int seconds(Duration longest) {
    return (int) Math.max(1, (longest.toMillis() + 999) / 1000);
  }

  static boolean isMariadb(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().equalsIgnoreCase("mariadb");
  }

  /** Makes MariaDB end a transaction whose client sends nothing, which releases its row locks. */
  static String idleTransactions(Duration longest) {
    return "SET SESSION idle_transaction_timeout = " + seconds(longest);
  }

  /**
   * Shortens the lock timeout of the database. Then a kept row delays only the requests for that
   * row. Null if the database has a setting for it.
   */
  public static @Nullable String boundRowWaits(SqlDialect dialect) {
    return switch (dialect) {
      case POSTGRESQL -> "SET lock_timeout = " + ROW_WAIT_MILLIS;
      case MARIADB -> "SET SESSION innodb_lock_wait_timeout = 1";
      case H2, SQLITE -> null;
    };
  }

  /**
   * Begins a transaction that reads each row at most once. If this process dies or is paused in it,
   * the server undoes it after about the timeout; MySQL cannot.
   */
  public void begin() throws SQLException {
    if (lent && !isBounded && dialect == SqlDialect.MARIADB && isMariadb(connection)) {
      isBounded = true; // also if the statement fails
      execute(
          "SET @sluice_idle = @@SESSION.idle_transaction_timeout,"
              + " @sluice_row = @@SESSION.innodb_lock_wait_timeout,"
              + " SESSION innodb_lock_wait_timeout = 1, SESSION idle_transaction_timeout = "
              + seconds);
    }
    if (dialect == SqlDialect.SQLITE) {
      execute("BEGIN IMMEDIATE"); // one that reads first may be refused when it wants to write
    } else {
      connection.setAutoCommit(false);
    }
    inTransaction = true;
    if (dialect == SqlDialect.POSTGRESQL) { // not the pool's: rows as they are now
      execute( // sent together with BEGIN
          "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
              + " SET LOCAL idle_in_transaction_session_timeout = '"
              + seconds
              + "s'; SET LOCAL lock_timeout = "
              + ROW_WAIT_MILLIS);
    }
  }

  /** Called before the first statement that may change the database. */
  public void writes() throws SQLException {
    if (!mayWrite.getAsBoolean()) {
      throw new Abandoned();
    }
  }

  /** The row announced by {@link #writes} does not exist, so nothing was changed. */
  public void wroteNothing() {
    wroteNothing.run();
  }

  public void commit() throws SQLException {
    if (dialect == SqlDialect.SQLITE) {
      execute("COMMIT");
      inTransaction = false;
    } else {
      connection.commit();
      inTransaction = false;
      connection.setAutoCommit(true);
    }
  }

  private void rollback() throws SQLException {
    inTransaction = false;
    if (dialect == SqlDialect.SQLITE) {
      execute("ROLLBACK");
    } else {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  public void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Sets the durability of SQLite's commits; called outside a transaction. */
  public void sync(Sync wanted) throws SQLException {
    int level = Integer.parseInt(pragma("synchronous"));
    // lower only where the journal keeps the order of commits; without WAL the file may break
    boolean lowers =
        wanted == Sync.NORMAL && level > wanted.level && pragma("journal_mode").equals("wal");
    if (level < wanted.level || lowers) {
      syncBefore = level;
      execute("PRAGMA synchronous = " + wanted.level);
    }
  }

  private String pragma(String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("PRAGMA " + name)) {
      row.next();
      return row.getString(1);
    }
  }

  /** The database's clock, microseconds since the epoch. */
  public long now() throws SQLException {
    try (PreparedStatement statement = prepare("SELECT " + dialect.now);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Sends messages to other processes when the transaction commits. */
  void notify(List<EventListeners.Message> messages) throws SQLException {
    try (PreparedStatement statement = prepare("SELECT pg_notify(?, ?)")) {
      for (EventListeners.Message message : messages) {
        statement.setString(1, channel(message.client()));
        statement.setString(2, message.kind() + " " + message.client() + " " + message.text());
        statement.executeQuery().close();
      }
    }
  }

  /** The channel of a PostgreSQL client, for any characters in its name. */
  public static String channel(String client) {
    return "sluice_" + UUID.nameUUIDFromBytes(client.getBytes(StandardCharsets.UTF_8));
  }

  public Connection connection() {
    return connection;
  }

  /** Rolls back the transaction, after a failure or a step without changes. */
  public void abandon() throws SQLException {
    if (inTransaction) {
      rollback();
    }
  }

  /** A setting to restore. */
  private interface Restore {
    void run() throws SQLException;
  }

  /**
   * Restores the settings of the connection where possible.
   *
   * @param because why it is left, if that is a failure; gets what else fails
   * @return whether all is as it was
   */
  public boolean leave(@Nullable Throwable because) {
    boolean all = restores(this::abandon, because);
    if (isBounded) {
      all &=
          restores(
              () ->
                  execute(
                      "SET SESSION idle_transaction_timeout = @sluice_idle, @sluice_idle = NULL,"
                          + " SESSION innodb_lock_wait_timeout = @sluice_row, @sluice_row = NULL"),
              because);
    }
    if (syncBefore >= 0) {
      all &= restores(() -> execute("PRAGMA synchronous = " + syncBefore), because);
    }
    if (!autoCommit) {
      all &= restores(() -> connection.setAutoCommit(false), because);
    }
    if (networkTimeout >= 0) { // the last one: the others may ask the server
      all &= restores(() -> connection.setNetworkTimeout(Runnable::run, networkTimeout), because);
    }
    return all;
  }

  private static boolean restores(Restore restore, @Nullable Throwable because) {
    try {
      restore.run();
      return true;
    } catch (SQLException e) {
      if (because != null) {
        because.addSuppressed(e);
      }
      return false;
    }
  }
}
