package dev.sluice.jdbc.rows;

import dev.sluice.ForeignDataException;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantRow;
import dev.sluice.state.grant.GrantState;
import dev.sluice.state.grant.Tombstone;
import dev.sluice.text.Names;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of locks, semaphores and read-write locks in {@code sluice_locks}, in columns that
 * people can read.
 */
public final class GrantTable extends Table<GrantState, GrantRow> {
  private static final List<String> COLUMNS =
      List.of(
          "fence",
          "last_use",
          "capacity",
          "client",
          "attempt",
          "units",
          "token",
          "block",
          "ttl",
          "since",
          "expires_at",
          "pending",
          "wanted",
          "over_client",
          "over_attempt",
          "over_at",
          "waiting",
          "forget_at",
          "rest");

  private final GrantKind kind;

  /**
   * @param dialect of the database
   * @param table its name
   * @param kind which of its rows
   */
  public GrantTable(SqlDialect dialect, String table, GrantKind kind) {
    super(dialect, table, "t.kind = ? AND t.name = ?", List.of("kind", "name"), COLUMNS);
    this.kind = kind;
  }

  @Override
  GrantState empty(String name) {
    return new GrantState(name, kind);
  }

  @Override
  GrantRow image(GrantState state) {
    return GrantRow.of(state);
  }

  /** A refused request without other changes is not written. */
  @Override
  public boolean differs(GrantRow before, GrantRow after) {
    return before.fence() != after.fence()
        || before.capacity() != after.capacity()
        || before.waiting() != after.waiting()
        || !Objects.equals(before.grant(), after.grant())
        || !Objects.equals(before.over(), after.over())
        || !Arrays.equals(before.rest(), after.rest());
  }

  @Override
  GrantState read(String name, ResultSet row, int at) throws SQLException {
    try {
      return row(row, at).state(name, kind);
    } catch (ForeignDataException e) {
      throw new ForeignDataException(
          kind.word() + " " + Names.quoted(name) + " in table '" + table() + "' " + e.getMessage(),
          e);
    }
  }

  private static GrantRow row(ResultSet row, int at) throws SQLException {
    String client = row.getString(at + 3);
    GrantRow.Held grant =
        client == null
            ? null
            : new GrantRow.Held(
                client,
                row.getLong(at + 4),
                row.getInt(at + 5),
                row.getLong(at + 6),
                row.getInt(at + 7),
                row.getLong(at + 8),
                row.getLong(at + 9),
                row.getLong(at + 10),
                row.getInt(at + 11) != 0,
                row.getInt(at + 12) != 0);
    String ended = row.getString(at + 13);
    Tombstone over =
        ended == null ? null : new Tombstone(ended, row.getLong(at + 14), row.getLong(at + 15));
    return new GrantRow(
        row.getLong(at),
        row.getLong(at + 1),
        row.getInt(at + 2),
        grant,
        over,
        row.getInt(at + 16),
        row.getLong(at + 17),
        row.getBytes(at + 18));
  }

  @Override
  void set(PreparedStatement statement, int at, GrantRow row) throws SQLException {
    statement.setLong(at, row.fence());
    statement.setLong(at + 1, row.lastUse());
    statement.setInt(at + 2, row.capacity());
    GrantRow.Held grant = row.grant();
    setText(statement, at + 3, grant == null ? null : grant.client());
    statement.setLong(at + 4, grant == null ? 0 : grant.attempt());
    statement.setInt(at + 5, grant == null ? 0 : grant.units());
    statement.setLong(at + 6, grant == null ? 0 : grant.token());
    statement.setInt(at + 7, grant == null ? 0 : grant.block());
    statement.setLong(at + 8, grant == null ? 0 : grant.ttl());
    statement.setLong(at + 9, grant == null ? 0 : grant.since());
    statement.setLong(at + 10, grant == null ? 0 : grant.expiresAt());
    statement.setInt(at + 11, grant != null && grant.pending() ? 1 : 0);
    statement.setInt(at + 12, grant != null && grant.wanted() ? 1 : 0);
    Tombstone over = row.over();
    setText(statement, at + 13, over == null ? null : over.client());
    statement.setLong(at + 14, over == null ? 0 : over.attempt());
    statement.setLong(at + 15, over == null ? 0 : over.at());
    statement.setInt(at + 16, row.waiting());
    statement.setLong(at + 17, row.forgetAt());
    byte[] rest = row.rest();
    if (rest == null) {
      statement.setNull(at + 18, dialect() == SqlDialect.SQLITE ? Types.BLOB : Types.VARBINARY);
    } else {
      statement.setBytes(at + 18, rest);
    }
  }

  private static void setText(PreparedStatement statement, int at, @Nullable String text)
      throws SQLException {
    if (text == null) {
      statement.setNull(at, Types.VARCHAR);
    } else {
      statement.setString(at, text);
    }
  }

  @Override
  int setKey(PreparedStatement statement, int at, String name) throws SQLException {
    statement.setString(at, kind.word());
    dialect().setKey(statement, at + 1, Rows.key(name));
    return at + 2;
  }
}
