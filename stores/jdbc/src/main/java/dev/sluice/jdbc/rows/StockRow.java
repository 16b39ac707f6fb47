package dev.sluice.jdbc.rows;

import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.spi.SaleTerms;
import dev.sluice.state.SaleHeader;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The stored form of a stock in a row. */
public final class StockRow {
  private static final String COLUMNS =
      "epoch, first_total, hold, drained, opens_at, closes_at, total, closed, last_id, claims,"
          + " returned, waiting, queued, held, confirmed, set_aside";
  private static final int LAST = 17;

  private final SqlDialect dialect;
  private final String look;
  private final String insert;
  private final String update;

  /** The row, if it exists. */
  public record Found(SaleHeader header, boolean stored) {}

  public StockRow(SqlDialect dialect, String table) {
    this.dialect = dialect;
    this.look = "SELECT " + COLUMNS + " FROM " + table + " WHERE name = ?";
    this.insert =
        "INSERT INTO "
            + table
            + " ("
            + COLUMNS
            + ", name) VALUES ("
            + "?, ".repeat(LAST - 1)
            + "?)";
    this.update =
        "UPDATE " + table + " SET " + COLUMNS.replace(",", " = ?,") + " = ? WHERE name = ?";
  }

  /** Reads the row, and locks it until the end of the transaction if asked. */
  public Found read(SqlSession session, String key, boolean locks) throws SQLException {
    String sql = locks ? look + dialect.forUpdate : look;
    try (PreparedStatement statement = session.prepare(sql)) {
      dialect.setKey(statement, 1, key);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new Found(header(row), true) : new Found(SaleHeader.NONE, false);
      }
    }
  }

  private static SaleHeader header(ResultSet row) throws SQLException {
    SaleTerms terms =
        new SaleTerms(
            row.getLong(1),
            row.getLong(2),
            row.getLong(3),
            row.getInt(4) != 0,
            row.getLong(5),
            row.getLong(6));
    return new SaleHeader(
        terms,
        row.getLong(7),
        row.getInt(8) != 0,
        row.getLong(9),
        row.getLong(10),
        row.getLong(11),
        row.getLong(12),
        row.getLong(13),
        row.getLong(14),
        row.getLong(15),
        row.getLong(16));
  }

  public void write(SqlSession session, String key, SaleHeader header, boolean stored)
      throws SQLException {
    SaleTerms terms = header.terms();
    if (terms == null) {
      return;
    }
    try (PreparedStatement statement = session.prepare(stored ? update : insert)) {
      statement.setLong(1, terms.epoch());
      statement.setLong(2, terms.total());
      statement.setLong(3, terms.holdMicros());
      statement.setInt(4, terms.drained() ? 1 : 0);
      statement.setLong(5, terms.opensAt());
      statement.setLong(6, terms.closesAt());
      statement.setLong(7, header.total());
      statement.setInt(8, header.closed() ? 1 : 0);
      statement.setLong(9, header.lastId());
      statement.setLong(10, header.claims());
      statement.setLong(11, header.returned());
      statement.setLong(12, header.waiting());
      statement.setLong(13, header.queued());
      statement.setLong(14, header.held());
      statement.setLong(15, header.confirmed());
      statement.setLong(16, header.deadLetters());
      dialect.setKey(statement, LAST, key);
      statement.executeUpdate();
    }
  }
}
