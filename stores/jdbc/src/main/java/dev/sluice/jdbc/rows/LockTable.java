package dev.sluice.jdbc.rows;

import dev.sluice.ForeignDataException;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.state.LockRow;
import dev.sluice.state.LockState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How locks are kept in rows of {@code sluice_locks}, so that people can read who holds what. */
public final class LockTable extends Table<LockState, LockRow> {
  private static final List<String> COLUMNS =
      List.of(
          "fence",
          "last_use",
          "client",
          "attempt",
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
          "rest");

  /**
   * @param dialect of the database
   * @param table its name
   */
  public LockTable(SqlDialect dialect, String table) {
    super(dialect, table, "t.name = ?", List.of("name"), COLUMNS);
  }

  @Override
  LockState empty(String name) {
    return new LockState(name);
  }

  /** The state that a row stands for. */
  public LockState state(String name, LockRow row) {
    LockState state = new LockState(name);
    state.restore(row);
    return state;
  }

  @Override
  LockRow image(LockState state) {
    return state.row();
  }

  /** To have been asked, and to have said no, is not worth a write. */
  @Override
  public boolean differs(LockRow before, LockRow after) {
    return before.fence() != after.fence()
        || before.waiting() != after.waiting()
        || !Objects.equals(before.grant(), after.grant())
        || !Objects.equals(before.over(), after.over())
        || !Arrays.equals(before.rest(), after.rest());
  }

  @Override
  LockState read(String name, ResultSet row, int at) throws SQLException {
    try {
      return state(name, row(row, at));
    } catch (ForeignDataException e) {
      throw new ForeignDataException("table '" + table() + "': " + e.getMessage(), e);
    }
  }

  private static LockRow row(ResultSet row, int at) throws SQLException {
    String client = row.getString(at + 2);
    LockRow.Grant grant =
        client == null
            ? null
            : new LockRow.Grant(
                client,
                row.getLong(at + 3),
                row.getLong(at + 4),
                row.getInt(at + 5),
                row.getLong(at + 6),
                row.getLong(at + 7),
                row.getLong(at + 8),
                row.getInt(at + 9) != 0,
                row.getInt(at + 10) != 0);
    String ended = row.getString(at + 11);
    LockRow.Over over =
        ended == null ? null : new LockRow.Over(ended, row.getLong(at + 12), row.getLong(at + 13));
    return new LockRow(
        row.getLong(at),
        row.getLong(at + 1),
        grant,
        over,
        row.getInt(at + 14),
        row.getBytes(at + 15));
  }

  @Override
  void set(PreparedStatement statement, int at, LockRow row) throws SQLException {
    statement.setLong(at, row.fence());
    statement.setLong(at + 1, row.lastUse());
    LockRow.Grant grant = row.grant();
    setText(statement, at + 2, grant == null ? null : grant.client());
    statement.setLong(at + 3, grant == null ? 0 : grant.attempt());
    statement.setLong(at + 4, grant == null ? 0 : grant.token());
    statement.setInt(at + 5, grant == null ? 0 : grant.block());
    statement.setLong(at + 6, grant == null ? 0 : grant.ttl());
    statement.setLong(at + 7, grant == null ? 0 : grant.since());
    statement.setLong(at + 8, grant == null ? 0 : grant.expiresAt());
    statement.setInt(at + 9, grant != null && grant.pending() ? 1 : 0);
    statement.setInt(at + 10, grant != null && grant.wanted() ? 1 : 0);
    LockRow.Over over = row.over();
    setText(statement, at + 11, over == null ? null : over.client());
    statement.setLong(at + 12, over == null ? 0 : over.attempt());
    statement.setLong(at + 13, over == null ? 0 : over.at());
    statement.setInt(at + 14, row.waiting());
    byte[] rest = row.rest();
    if (rest == null) {
      statement.setNull(at + 15, dialect() == SqlDialect.SQLITE ? Types.BLOB : Types.VARBINARY);
    } else {
      statement.setBytes(at + 15, rest);
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
    dialect().setKey(statement, at, Rows.key(name));
    return at + 1;
  }
}
