package dev.sluice.jdbc.rows;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Deletes rows that nobody needs any more, a bounded number at a time. */
public final class Janitor {
  private static final int AT_ONCE = 500;

  private record Old(String kind, String key, long version) {}

  private Janitor() {}

  /**
   * Deletes some rows, in one transaction.
   *
   * @param session not in a transaction
   * @param table has columns {@code name} and {@code version}
   * @param hasKind whether it has a column {@code kind}, too
   * @param over the condition under which nobody needs a row
   * @return whether there are likely to be more
   */
  public static boolean sweep(Session session, String table, boolean hasKind, String over)
      throws SQLException {
    String kind = hasKind ? "kind" : "''";
    List<Old> old = new ArrayList<>();
    String find =
        "SELECT " + kind + ", name, version FROM " + table + " WHERE " + over + " LIMIT " + AT_ONCE;
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
    String delete =
        "DELETE FROM "
            + table
            + " WHERE name = ? AND version = ?"
            + (hasKind ? " AND kind = ?" : "");
    try (PreparedStatement statement = session.prepare(delete)) {
      for (Old each : old) { // one that somebody uses again has another version
        session.dialect.setKey(statement, 1, each.key);
        statement.setLong(2, each.version);
        if (hasKind) {
          statement.setString(3, each.kind);
        }
        statement.addBatch();
      }
      statement.executeBatch();
    }
    session.commit();
    return old.size() == AT_ONCE;
  }
}
