package dev.sluice.jdbc;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.GuardRule;
import dev.sluice.guard.GuardStats;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.lock.Lease;
import dev.sluice.text.Names;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A guard in a table of the database. With a connection it decides in the caller's own transaction:
 * what the transaction reads and writes is bound to the token, and a stale holder changes nothing.
 *
 * <pre>{@code
 * JdbcGuard guard = JdbcGuard.create(database);
 * connection.setAutoCommit(false);
 * guard.advance(connection, lease);   // first in the transaction
 * // read, compute, write
 * connection.commit();
 * }</pre>
 *
 * <p>{@link #advance(Connection, String, FencingToken)} takes the lock of the resource's row and
 * keeps it until the transaction ends: sections of one resource wait in a queue there, also a stale
 * holder behind the next one. Call it <em>first</em>: in a database whose transactions read from
 * one snapshot, what was read before may be old. It is one statement; the first access of all and a
 * refusal cost one more, or two. After a {@link dev.sluice.guard.StaleTokenException} roll back.
 *
 * <p>The table keeps one short row for each resource until {@link #forget} or the database's
 * administrator deletes it. Safe for use by many threads, each with its own connection.
 *
 * <p>Without a connection, {@link #advance(String, FencingToken)} and {@link #check(String,
 * FencingToken)} run in a separate transaction, for resources outside the database: the guard
 * decides a moment before the access, so another holder may come in between.
 *
 * @since 0.1
 */
public final class JdbcGuard implements Guard {
  /** The default name of the table. */
  public static final String TABLE = SqlDialect.GUARD_TABLE;

  private static final Pattern TABLE_NAME =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})?");
  private static final int TRIES = 5;

  private final DataSource database;
  private final String table;
  private final GuardRule rule = new GuardRule();
  private final Map<SqlDialect, String> raise = new EnumMap<>(SqlDialect.class);

  private JdbcGuard(DataSource database, String table) {
    this.database = requireNonNull(database, "database must not be null");
    this.table = table;
    for (SqlDialect dialect : SqlDialect.values()) {
      raise.put(dialect, dialect.statement("raise", table));
    }
  }

  /**
   * A guard in the table {@value #TABLE}.
   *
   * @param database gives a connection where a call comes without one
   * @return the guard
   */
  public static JdbcGuard create(DataSource database) {
    return create(database, TABLE);
  }

  /**
   * Returns a guard in another table.
   *
   * @param database gives a connection where a call comes without one
   * @param table letters, digits and underscores, with a schema and a dot in front if need be
   * @return the guard
   * @throws IllegalArgumentException if the name is not of that kind
   */
  public static JdbcGuard create(DataSource database, String table) {
    requireNonNull(table, "table must not be null");
    if (!TABLE_NAME.matcher(table).matches()) {
      throw new IllegalArgumentException(
          "table must be letters, digits and '_', perhaps after a schema and a dot: '"
              + table
              + "'");
    }
    return new JdbcGuard(database, table);
  }

  /**
   * Returns the statement that creates the table, for migrations.
   *
   * @param dialect the database
   * @return one statement, without a semicolon
   */
  public String ddl(Dialect dialect) {
    return ddl(dialect.sql());
  }

  private String ddl(SqlDialect dialect) {
    return dialect.statement("guard", table);
  }

  /**
   * Creates the table if it does not exist.
   *
   * @throws BackendException if the database refused
   */
  public void createTable() {
    for (int tries = 1; ; tries++) {
      try (Connection connection = database.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(ddl(SqlDialect.of(connection)));
        if (!connection.getAutoCommit()) {
          connection.commit();
        }
        return;
      } catch (SQLException e) {
        if (tries == 2 || !SqlDialect.isDuplicate(e)) { // PostgreSQL: another one made it just now
          throw new BackendException("cannot create table '" + table + "': " + e.getMessage(), e);
        }
      }
    }
  }

  /**
   * The first access of a section in this transaction: refuses a stale token, raises the guard
   * otherwise, and blocks other accesses of this resource until the transaction ends.
   *
   * @param connection in a transaction: autocommit off
   * @param resource what is accessed, 1 to 512 bytes of UTF-8
   * @param token the token of the section
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token
   * @throws IllegalStateException if the connection is in auto-commit mode
   * @throws BackendException if the table is missing, or the database refused; its cause is the
   *     driver's exception. A deadlock or a conflict of snapshots ends the transaction, as ever
   */
  public void advance(Connection connection, String resource, FencingToken token) {
    String name = checked(connection, resource, token);
    try {
      SqlDialect dialect = SqlDialect.of(connection);
      for (int tries = 1; ; tries++) {
        if (raise(connection, dialect, name, token)) {
          rule.admit();
          return;
        }
        FencingToken highest = read(connection, dialect, name);
        if (highest != null && (highest.equals(token) || !highest.admits(token))) {
          rule.advance(resource, token, highest);
          return;
        }
        if (tries == TRIES) {
          throw new BackendException(
              "guard of "
                  + Names.quoted(resource)
                  + " was changed concurrently in "
                  + tries
                  + " attempts",
              null);
        }
      }
    } catch (SQLException e) {
      throw refused(connection, "advance", resource, e);
    }
  }

  /**
   * A guard for the resource that has the name of the lock.
   *
   * @param connection in a transaction: autocommit off
   * @param lease the lease of the section
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token
   */
  public void advance(Connection connection, Lease lease) {
    advance(connection, lease.name(), FencingToken.of(lease));
  }

  /**
   * A further access of a section that has raised the guard, perhaps in an earlier transaction.
   * Where the database locks rows, none may raise the guard from here until this transaction ends.
   *
   * @param connection in a transaction: autocommit off
   * @param resource what is accessed, 1 to 512 bytes of UTF-8
   * @param token the token of the section
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token
   * @throws IllegalStateException if this section has not raised the guard, or the connection is in
   *     auto-commit mode
   * @throws BackendException if the table is missing, or the database refused
   */
  public void check(Connection connection, String resource, FencingToken token) {
    String name = checked(connection, resource, token);
    try {
      rule.check(resource, token, read(connection, SqlDialect.of(connection), name));
    } catch (SQLException e) {
      throw refused(connection, "check", resource, e);
    }
  }

  /**
   * A guard for the resource that has the name of the lock.
   *
   * @param connection in a transaction: autocommit off
   * @param lease the lease of the section
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token
   */
  public void check(Connection connection, Lease lease) {
    check(connection, lease.name(), FencingToken.of(lease));
  }

  /**
   * Deletes the row of a resource that no longer exists. A holder that still has a token of it is
   * admitted again, so do this only when no such holder can return.
   *
   * @param connection commits as it likes
   * @param resource 1 to 512 bytes of UTF-8
   * @throws BackendException if the table is missing, or the database refused
   */
  public void forget(Connection connection, String resource) {
    String name = Names.encode(Names.check("resource", resource));
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM " + table + " WHERE resource = ?")) {
      SqlDialect.of(connection).setName(statement, 1, name);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw refused(connection, "forget", resource, e);
    }
  }

  /**
   * Returns this guard in the transaction of a connection.
   *
   * @param connection in a transaction: autocommit off
   * @return a view, to be used by one thread at a time, as the connection
   */
  public Guard on(Connection connection) {
    requireNonNull(connection, "connection must not be null");
    return new Guard() {
      @Override
      public void advance(String resource, FencingToken token) {
        JdbcGuard.this.advance(connection, resource, token);
      }

      @Override
      public void check(String resource, FencingToken token) {
        JdbcGuard.this.check(connection, resource, token);
      }

      @Override
      public GuardStats stats() {
        return rule.stats();
      }
    };
  }

  /** {@inheritDoc} In a separate transaction. */
  @Override
  public void advance(String resource, FencingToken token) {
    alone(connection -> advance(connection, resource, token));
  }

  /** {@inheritDoc} In a separate transaction. */
  @Override
  public void check(String resource, FencingToken token) {
    alone(connection -> check(connection, resource, token));
  }

  private interface Step {
    void run(Connection connection);
  }

  private void alone(Step step) {
    try (Connection connection = database.getConnection()) {
      boolean committing = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        step.run(connection);
        connection.commit();
      } catch (RuntimeException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(committing);
      }
    } catch (SQLException e) {
      throw new BackendException("the guard's database failed: " + e.getMessage(), e);
    }
  }

  @Override
  public GuardStats stats() {
    return rule.stats();
  }

  private static String checked(Connection connection, String resource, FencingToken token) {
    requireNonNull(connection, "connection must not be null");
    requireNonNull(token, "token must not be null");
    String name = Names.encode(Names.check("resource", resource));
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "the guard of "
                + Names.quoted(resource)
                + " works in a transaction, and this connection is in auto-commit mode:"
                + " setAutoCommit(false), or begin a transaction by your framework");
      }
    } catch (SQLException e) {
      throw new BackendException("the connection is unusable: " + e.getMessage(), e);
    }
    return name;
  }

  private boolean raise(Connection connection, SqlDialect dialect, String name, FencingToken token)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(requireNonNull(raise.get(dialect)))) {
      dialect.setName(statement, 1, name);
      statement.setLong(2, token.value());
      statement.setString(3, token.attempt());
      return statement.executeUpdate() == dialect.raised;
    } catch (SQLException e) {
      if (dialect == SqlDialect.H2 && SqlDialect.isDuplicate(e)) {
        return false; // another one made the row just now; its MERGE does not wait for that
      }
      throw e;
    }
  }

  private @Nullable FencingToken read(Connection connection, SqlDialect dialect, String name)
      throws SQLException {
    String sql = "SELECT token, attempt FROM " + table + " WHERE resource = ?" + dialect.forUpdate;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      dialect.setName(statement, 1, name);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new FencingToken(row.getLong(1), row.getString(2)) : null;
      }
    }
  }

  private BackendException refused(
      Connection connection, String verb, String resource, SQLException failure) {
    try {
      SqlDialect dialect = SqlDialect.of(connection);
      if (dialect.isMissingTable(failure)) {
        return new BackendException(
            "table '"
                + table
                + "' is missing: call createTable, or put this into your migrations:\n"
                + ddl(dialect)
                + ";",
            failure);
      }
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
    return new BackendException(
        "the database refused '"
            + verb
            + "' of "
            + Names.quoted(resource)
            + ": "
            + failure.getMessage(),
        failure);
  }
}
