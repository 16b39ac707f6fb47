package dev.sluice.jdbc.rows;

import dev.sluice.jdbc.dialect.SqlDialect;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table with the states of one kind: one row for each name, with a version that every write
 * raises.
 *
 * @param <S> the state of a name
 * @param <I> what of it is stored
 */
public abstract class Table<S, I> {

  /** The row that a step read. */
  public static final class Row<S, I> {
    public final String name;
    public final S state;

    /** The row, or the row to insert. */
    final I before;

    /** The version of the stored row, then of the written row; 0 if there is none. */
    public long version;

    Row(String name, S state, I before, long version) {
      this.name = name;
      this.state = state;
      this.before = before;
      this.version = version;
    }
  }

  /** The row at the start of a step. */
  public record Found<S, I>(long now, List<Row<S, I>> rows) {
    List<S> states() {
      return rows.stream().map(row -> row.state).toList();
    }
  }

  private final SqlDialect dialect;
  private final String table;
  private final List<String> columns;
  private final String look;
  private final String lock;
  private final String insert;
  private final String update;

  /**
   * @param dialect of the database
   * @param table its name
   * @param key which row, a condition with parameters
   * @param keyColumns the columns of the key, in the order of the parameters
   * @param columns what is stored, without key and version
   */
  Table(
      SqlDialect dialect, String table, String key, List<String> keyColumns, List<String> columns) {
    this.dialect = dialect;
    this.table = table;
    this.columns = columns;
    String list = String.join(", ", columns);
    String prefixed = columns.stream().map(c -> "t." + c).collect(Collectors.joining(", "));
    // the clock also answers where there is no row
    this.look =
        "SELECT %s, "
            + dialect.now
            + ", t.version, "
            + prefixed
            + " FROM (SELECT 1 AS one) AS o LEFT JOIN "
            + table
            + " t ON "
            + key;
    this.lock =
        "SELECT 0, 0, t.version, "
            + prefixed
            + " FROM "
            + table
            + " t WHERE "
            + key
            + dialect.forUpdate;
    this.insert =
        "INSERT INTO "
            + table
            + " ("
            + String.join(", ", keyColumns)
            + ", version, "
            + list
            + ") VALUES ("
            + "?, ".repeat(keyColumns.size() + columns.size())
            + "?)"
            + (dialect == SqlDialect.POSTGRESQL ? " ON CONFLICT DO NOTHING" : "");
    this.update =
        "UPDATE "
            + table
            + " SET version = ?"
            + columns.stream().map(c -> ", " + c + " = ?").collect(Collectors.joining())
            + " WHERE "
            + key.replace("t.", "")
            + " AND version = ?";
  }

  /** The state of a name without a row. */
  abstract S empty(String name);

  /** The stored form of a state. */
  abstract I image(S state);

  /** Whether writing this is worth its cost. */
  abstract boolean differs(I before, I after);

  /**
   * Reads a state.
   *
   * @param name whose
   * @param row stands on it
   * @param at the first of the columns
   */
  abstract S read(String name, ResultSet row, int at) throws SQLException;

  /** Sets the parameters of {@code columns}, from {@code at} on. */
  abstract void set(PreparedStatement statement, int at, I image) throws SQLException;

  /** Sets the parameters of the key, from {@code at} on. */
  abstract int setKey(PreparedStatement statement, int at, String name) throws SQLException;

  public SqlDialect dialect() {
    return dialect;
  }

  public String table() {
    return table;
  }

  /** Reads rows and the clock in one snapshot, without locks. */
  public Found<S, I> look(SqlSession session, List<String> names) throws SQLException {
    String sql =
        names.size() == 1
            ? String.format(look, 0)
            : java.util.stream.IntStream.range(0, names.size())
                .mapToObj(i -> String.format(look, i))
                .collect(Collectors.joining(" UNION ALL "));
    List<Row<S, I>> rows = new ArrayList<>(names.size());
    for (String name : names) {
      rows.add(absent(name));
    }
    long now = Long.MIN_VALUE;
    try (PreparedStatement statement = session.prepare(sql)) {
      int at = 1;
      for (String name : names) {
        at = setKey(statement, at, name);
      }
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          int which = result.getInt(1);
          now = Math.max(now, result.getLong(2));
          Row<S, I> row = row(names.get(which), result);
          if (row != null) {
            rows.set(which, row);
          }
        }
      }
    }
    return new Found<>(now, rows);
  }

  /** Reads and locks rows until the end of the transaction, then reads the clock. */
  Found<S, I> lock(SqlSession session, List<String> names) throws SQLException {
    List<Row<S, I>> rows = new ArrayList<>(names.size());
    try (PreparedStatement statement = session.prepare(lock)) {
      for (String name : names) {
        setKey(statement, 1, name);
        try (ResultSet result = statement.executeQuery()) {
          Row<S, I> row = result.next() ? row(name, result) : null;
          rows.add(row == null ? absent(name) : row);
        }
      }
    }
    return new Found<>(session.now(), rows);
  }

  private Row<S, I> absent(String name) {
    S state = empty(name);
    return new Row<>(name, state, image(state), 0);
  }

  private @Nullable Row<S, I> row(String name, ResultSet result) throws SQLException {
    long version = result.getLong(3);
    if (result.wasNull()) {
      return null;
    }
    S state = read(name, result, 4);
    return new Row<>(name, state, image(state), version);
  }

  /**
   * Writes a row unless another transaction has written it since it was read.
   *
   * @throws SqlSession.Again if one has
   */
  void write(SqlSession session, Row<S, I> row, I image) throws SQLException {
    boolean isNew = row.version == 0;
    // a row that was deleted and created again must not look like the one that a client remembers
    long next = isNew ? ThreadLocalRandom.current().nextLong(1, 1L << 52) : row.version + 1;
    try (PreparedStatement statement = session.prepare(isNew ? insert : update)) {
      int at = 1;
      if (isNew) {
        at = setKey(statement, at, row.name);
      }
      statement.setLong(at++, next);
      set(statement, at, image);
      at += columns.size();
      if (!isNew) {
        at = setKey(statement, at, row.name);
        statement.setLong(at, row.version);
      }
      if (statement.executeUpdate() == 0) {
        throw new SqlSession.Again();
      }
    }
    row.version = next;
  }
}
