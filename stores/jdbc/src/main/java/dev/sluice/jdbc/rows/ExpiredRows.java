package dev.sluice.jdbc.rows;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Deletes expired rows, a bounded number at a time. */
public final class ExpiredRows {
  private static final int AT_ONCE = 500;

  private record Old(String kind, String key, long version) {}

  private ExpiredRows() {}

  /**
   * Deletes some rows, in one transaction.
   *
   * @param session not in a transaction
   * @param table has columns {@code kind}, {@code name}, {@code version} and {@code forget_at}
   * @return whether there are likely to be more
   */
  public static boolean sweep(SqlSession session, String table) throws SQLException {
    List<Old> old = new ArrayList<>();
    String find =
        "SELECT kind, name, version FROM "
            + table
            + " WHERE forget_at < "
            + session.dialect.now
            + " LIMIT "
            + AT_ONCE;
    try (PreparedStatement statement = session.prepare(find);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        old.add(new Old(row.getString(1), session.dialect.key(row, 2), row.getLong(3)));
      }
    }
    if (old.isEmpty()) {
      return false;
    }
    session.begin();
    String delete = "DELETE FROM " + table + " WHERE kind = ? AND name = ? AND version = ?";
    try (PreparedStatement statement = session.prepare(delete)) {
      for (Old each : old) { // a row that is in use again has another version
        statement.setString(1, each.kind);
        session.dialect.setKey(statement, 2, each.key);
        statement.setLong(3, each.version);
        statement.addBatch();
      }
      statement.executeBatch();
    }
    session.commit();
    return old.size() == AT_ONCE;
  }
}
