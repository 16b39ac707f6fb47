package dev.sluice.jdbc;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.GuardRule;
import dev.sluice.guard.GuardStats;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.lock.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows check tokens: each stores, in a column, the highest token used on it. An
 * update is one conditional statement,
 *
 * <pre>{@code
 * UPDATE orders SET state = ?, fence = ? WHERE id = ? AND (fence IS NULL OR fence <= ?)
 * }</pre>
 *
 * <p>and works with or without a transaction. A section that reads before it writes calls {@link
 * #advance} first, which raises the column and nothing else.
 *
 * <p>Without a column for the attempt, two grants that a store which lost its data numbered alike
 * are not told apart; {@link #attempts} adds one. Immutable; safe for use by many threads, each
 * with its own connection.
 *
 * @since 0.1
 */
public final class FencedTable {
  private static final String PLAIN = "[A-Za-z_][A-Za-z0-9_$]*";
  private static final String PART = "(?:" + PLAIN + "|\"[^\"]+\"|`[^`]+`)";
  private static final Pattern NAME = Pattern.compile(PART + "(?:\\." + PART + "){0,2}");

  /**
   * The attempt of another holder, as {@link #advance} reports it for a table without a column for
   * it.
   */
  private static final String UNKNOWN = "-";

  private final String table;
  private final String id;
  private final String token;
  private final @Nullable String attempt;
  private final GuardRule rule;

  private FencedTable(
      String table, String id, String token, @Nullable String attempt, GuardRule rule) {
    this.table = table;
    this.id = id;
    this.token = token;
    this.attempt = attempt;
    this.rule = rule;
  }

  /**
   * A table. Names go into statements as they are, so they must be plain or quoted identifiers.
   *
   * @param table its name, perhaps after a schema and a dot
   * @param id the column that names a row
   * @param token the column of the highest token: a 64-bit integer, null or 0 before the first
   * @return the table
   * @throws IllegalArgumentException if a name is no identifier
   */
  public static FencedTable of(String table, String id, String token) {
    return new FencedTable(
        identifier(table), identifier(id), identifier(token), null, new GuardRule());
  }

  /**
   * Distinguishes equal tokens of different attempts by a separate column.
   *
   * @param column a text of 64 characters, compared exactly
   * @return the table with that column
   * @throws IllegalArgumentException if the name is no identifier
   */
  public FencedTable attempts(String column) {
    return new FencedTable(table, id, token, identifier(column), rule);
  }

  private static String identifier(String name) {
    requireNonNull(name, "a name must not be null");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("not an identifier: '" + name + "'");
    }
    return name;
  }

  /**
   * The first access of a section that reads before it writes.
   *
   * @param connection in a transaction or not
   * @param row the row's id
   * @param shown the token of the section
   * @return false if there is no such row
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token
   * @throws BackendException if the database refused
   */
  public boolean advance(Connection connection, Object row, FencingToken shown) {
    return update(connection, row, shown, "");
  }

  /**
   * The first access of a section that reads before it writes.
   *
   * @param connection in a transaction or not
   * @param row the row's id
   * @param lease the lease of the section
   * @return false if there is no such row
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token
   */
  public boolean advance(Connection connection, Object row, Lease lease) {
    return advance(connection, row, FencingToken.of(lease));
  }

  /**
   * Changes a row and raises its token, unless a later holder has advanced it.
   *
   * @param connection in a transaction or not
   * @param row the row's id
   * @param shown the token of the section
   * @param assignments what stands behind {@code SET}: {@code state = ?, total = total + ?}. Part
   *     of the statement, so never made of foreign input
   * @param values of its parameters
   * @return false if there is no such row
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token; nothing was
   *     changed
   * @throws BackendException if the database refused
   */
  public boolean update(
      Connection connection,
      Object row,
      FencingToken shown,
      String assignments,
      @Nullable Object... values) {
    requireNonNull(row, "row must not be null");
    requireNonNull(shown, "token must not be null");
    try {
      if (tryUpdate(connection, row, shown, assignments, values)) {
        rule.admit();
        return true;
      }
      FencingToken highest = read(connection, row);
      if (highest == null) {
        return false;
      }
      if (admits(highest, shown)) {
        // made just now by another one; or unchanged, by a driver that counts changed rows only
        if (!highest.equals(seen(shown))
            && !tryUpdate(connection, row, shown, assignments, values)) {
          throw new BackendException(
              "row " + row + " of '" + table + "' was changed concurrently in 2 attempts", null);
        }
        rule.admit();
        return true;
      }
      throw rule.refuse(table + "/" + row, shown, highest);
    } catch (SQLException e) {
      throw new BackendException(
          "the database refused to update row " + row + " of '" + table + "': " + e.getMessage(),
          e);
    }
  }

  /**
   * Changes a row and raises its token, unless a later holder has advanced it.
   *
   * @param connection in a transaction or not
   * @param row the row's id
   * @param lease the lease of the section
   * @param assignments what stands behind {@code SET}, never made of foreign input
   * @param values of its parameters
   * @return false if there is no such row
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token; nothing was
   *     changed
   */
  public boolean update(
      Connection connection,
      Object row,
      Lease lease,
      String assignments,
      @Nullable Object... values) {
    return update(connection, row, FencingToken.of(lease), assignments, values);
  }

  /** {@return the decisions of this process since the table was described} */
  public GuardStats stats() {
    return rule.stats();
  }

  /** The stored form of the token in this table. */
  private FencingToken seen(FencingToken shown) {
    return attempt == null ? new FencingToken(shown.value(), UNKNOWN) : shown;
  }

  private boolean admits(FencingToken highest, FencingToken shown) {
    return highest.admits(seen(shown));
  }

  private boolean tryUpdate(
      Connection connection,
      Object row,
      FencingToken shown,
      String assignments,
      @Nullable Object[] values)
      throws SQLException {
    String set = (assignments.isBlank() ? "" : assignments + ", ") + token + " = ?";
    String same = token + " = ?";
    if (attempt != null) {
      set += ", " + attempt + " = ?";
      same = "(" + same + " AND " + attempt + " = ?)";
    }
    String sql =
        "UPDATE %s SET %s WHERE %s = ? AND (%s IS NULL OR %s < ? OR %s)"
            .formatted(table, set, id, token, token, same);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Object value : values) {
        statement.setObject(index++, value);
      }
      statement.setLong(index++, shown.value());
      if (attempt != null) {
        statement.setString(index++, shown.attempt());
      }
      statement.setObject(index++, row);
      statement.setLong(index++, shown.value());
      statement.setLong(index++, shown.value());
      if (attempt != null) {
        statement.setString(index, shown.attempt());
      }
      return statement.executeUpdate() > 0;
    }
  }

  private @Nullable FencingToken read(Connection connection, Object row) throws SQLException {
    List<String> columns = attempt == null ? List.of(token) : List.of(token, attempt);
    // as the UPDATE saw it: in a transaction of MariaDB a plain SELECT shows what once was
    String sql =
        "SELECT %s FROM %s WHERE %s = ?%s"
            .formatted(String.join(", ", columns), table, id, SqlDialect.forUpdate(connection));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setObject(1, row);
      try (ResultSet found = statement.executeQuery()) {
        if (!found.next()) {
          return null;
        }
        String whose = attempt == null ? UNKNOWN : found.getString(2);
        return new FencingToken(
            Math.max(1, found.getLong(1)), whose == null || whose.isEmpty() ? UNKNOWN : whose);
      }
    }
  }
}
