package dev.sluice.jdbc.rows;

import dev.sluice.inventory.ClaimState;
import dev.sluice.spi.ClaimRow;
import dev.sluice.state.ClaimTable;
import dev.sluice.state.StoredClaim;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one stock within one transaction: reads those that a decision needs, and writes the
 * changed ones at the end. For one thread.
 */
public final class ClaimRows implements ClaimTable {
  /*
   * Rows of an earlier sale stand in the table until a sweep comes by, or the claimant claims again;
   * they count as absent. Claimants, requests, consumers and reasons are kept as bytes of UTF-8,
   * because no database but some keeps every text, and compares it, as it is.
   */
  public static final String COLUMNS =
      "claimant, epoch, id, quantity, request, state, turn, claimed_at, deliveries, consumer,"
          + " reason";
  private static final int MAX_PARAMETERS = 500;

  /** Carries a failure of the database through a decision. */
  public static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1L;
    public final transient SQLException failure;

    Unreadable(SQLException failure) {
      super(failure);
      this.failure = failure;
    }
  }

  private static final class Entry {
    @Nullable StoredClaim claim;
    boolean stored;
    boolean changed;

    Entry(@Nullable StoredClaim claim, boolean stored) {
      this.claim = claim;
      this.stored = stored;
    }
  }

  private final SqlSession session;
  private final String table;
  private final String key;
  private final long epoch;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private int changes;
  private boolean cleared;

  /**
   * @param session in a transaction that has locked the stock
   * @param table the table's name
   * @param key of the stock
   * @param epoch the sale
   */
  public ClaimRows(SqlSession session, String table, String key, long epoch) {
    this.session = session;
    this.table = table;
    this.key = key;
    this.epoch = epoch;
  }

  // ---- reading ----

  /** Reads the claims of several claimants with one statement. */
  public void fetch(Collection<String> claimants) throws SQLException {
    List<String> names = new ArrayList<>(new TreeSet<>(claimants));
    names.removeAll(entries.keySet());
    for (int from = 0; from < names.size(); from += MAX_PARAMETERS) {
      fetchSome(names.subList(from, Math.min(names.size(), from + MAX_PARAMETERS)));
    }
  }

  private void fetchSome(List<String> claimants) throws SQLException {
    // as many parameters as a power of two, so that the database meets the same few statements
    int parameters = Integer.highestOneBit(Math.max(1, 2 * claimants.size() - 1));
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM "
            + table
            + " WHERE name = ? AND claimant IN (?"
            + ", ?".repeat(parameters - 1)
            + ")";
    try (PreparedStatement statement = session.prepare(sql)) {
      session.dialect.setKey(statement, 1, key);
      for (int i = 0; i < parameters; i++) {
        statement.setBytes(i + 2, bytes(claimants.get(Math.min(i, claimants.size() - 1))));
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          StoredClaim claim = read(row);
          boolean present = claim.row().epoch() == epoch;
          entries.put(claim.row().claimant(), new Entry(present ? claim : null, true));
        }
      }
    }
    for (String claimant : claimants) {
      entries.computeIfAbsent(claimant, name -> new Entry(null, false));
    }
  }

  public static StoredClaim read(ResultSet row) throws SQLException {
    ClaimState state = ClaimState.values()[row.getInt(6) - 1];
    long turn = row.getLong(7);
    ClaimRow claim =
        new ClaimRow(
            row.getLong(2),
            row.getLong(3),
            text(row, 1),
            row.getInt(4),
            text(row, 5),
            state,
            row.getLong(8),
            row.getInt(9));
    return new StoredClaim(
        claim,
        state == ClaimState.HELD ? turn : 0,
        text(row, 10),
        state == ClaimState.QUEUED ? turn : 0,
        text(row, 11));
  }

  private static String text(ResultSet row, int column) throws SQLException {
    return new String(row.getBytes(column), StandardCharsets.UTF_8);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public @Nullable StoredClaim get(String claimant) {
    if (cleared) {
      return null;
    }
    Entry known = entries.get(claimant);
    if (known == null) {
      try {
        fetch(List.of(claimant));
      } catch (SQLException e) {
        throw new Unreadable(e);
      }
      known = entries.get(claimant);
    }
    return known == null ? null : known.claim;
  }

  @Override
  public void put(StoredClaim claim) {
    Entry entry = entries.computeIfAbsent(claim.row().claimant(), name -> new Entry(null, false));
    entry.claim = claim;
    if (!entry.changed) {
      entry.changed = true;
      changes++;
    }
  }

  @Override
  public void clear() {
    entries.clear();
    changes = 0;
    cleared = true;
  }

  @Override
  public List<StoredClaim> due(long now, int limit) {
    return inTurn(ClaimState.HELD, "turn <= ?", now, limit);
  }

  @Override
  public List<StoredClaim> taken(long until, int limit) {
    return inTurn(ClaimState.QUEUED, "turn > 0 AND turn <= ?", until, limit);
  }

  @Override
  public List<StoredClaim> untaken(int limit) {
    return inTurn(ClaimState.QUEUED, "turn = ?", 0, limit);
  }

  @Override
  public List<StoredClaim> aside(int limit) {
    return inTurn(ClaimState.DEAD_LETTER, "turn = ?", 0, limit);
  }

  /** Claims in a state, in their order, without those changed in this transaction. */
  private List<StoredClaim> inTurn(ClaimState state, String condition, long bound, int limit) {
    if (cleared) {
      return List.of();
    }
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM "
            + table
            + " WHERE name = ? AND epoch = ? AND state = ? AND "
            + condition
            + " ORDER BY turn, id LIMIT ?";
    List<StoredClaim> found = new ArrayList<>();
    try (PreparedStatement statement = session.prepare(sql)) {
      session.dialect.setKey(statement, 1, key);
      statement.setLong(2, epoch);
      statement.setInt(3, state.ordinal() + 1);
      statement.setLong(4, bound);
      statement.setInt(5, limit + changes);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next() && found.size() < limit) {
          StoredClaim claim = read(row);
          Entry known =
              entries.computeIfAbsent(claim.row().claimant(), name -> new Entry(claim, true));
          if (!known.changed) {
            found.add(claim);
          }
        }
      }
    } catch (SQLException e) {
      throw new Unreadable(e);
    }
    return found;
  }

  @Override
  public long oldestQueued() {
    // asked for where no claim that is queued was changed: the table has them all. The second
    // statement is about those that are being written just now, which are few
    long oldest = Long.MAX_VALUE;
    String from = " FROM " + table + " WHERE name = ? AND epoch = ? AND state = ?";
    String sql = "SELECT claimed_at" + from + " ORDER BY turn, id LIMIT 1";
    String given = "SELECT MIN(claimed_at)" + from + " AND turn > 0";
    for (String each : List.of(sql, given)) {
      try (PreparedStatement statement = session.prepare(each)) {
        session.dialect.setKey(statement, 1, key);
        statement.setLong(2, epoch);
        statement.setInt(3, ClaimState.QUEUED.ordinal() + 1);
        try (ResultSet row = statement.executeQuery()) {
          if (row.next() && row.getLong(1) > 0) {
            oldest = Math.min(oldest, row.getLong(1));
          }
        }
      } catch (SQLException e) {
        throw new Unreadable(e);
      }
    }
    return oldest == Long.MAX_VALUE ? 0 : oldest;
  }

  // ---- writing ----

  public boolean isChanged() {
    return changes > 0;
  }

  /** Writes the changed claims. */
  public void write() throws SQLException {
    write(
        true,
        "UPDATE "
            + table
            + " SET epoch = ?, id = ?, quantity = ?, request = ?, state = ?, turn = ?,"
            + " claimed_at = ?, deliveries = ?, consumer = ?, reason = ?"
            + " WHERE name = ? AND claimant = ?");
    write(
        false,
        "INSERT INTO "
            + table
            + " (epoch, id, quantity, request, state, turn, claimed_at, deliveries, consumer,"
            + " reason, name, claimant) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  }

  private void write(boolean stored, String sql) throws SQLException {
    try (PreparedStatement statement = session.prepare(sql)) {
      int count = 0;
      for (Entry entry : entries.values()) {
        StoredClaim claim = entry.claim;
        if (claim != null && entry.changed && entry.stored == stored) {
          set(statement, claim);
          statement.addBatch();
          count++;
        }
      }
      if (count > 0) {
        for (int changed : statement.executeBatch()) {
          if (changed == 0) {
            throw new SqlSession.Again(); // the row was deleted by hand: the sums must hold
          }
        }
      }
    }
  }

  private void set(PreparedStatement statement, StoredClaim claim) throws SQLException {
    ClaimRow row = claim.row();
    statement.setLong(1, row.epoch());
    statement.setLong(2, row.id());
    statement.setInt(3, row.quantity());
    statement.setBytes(4, bytes(row.requestId()));
    statement.setInt(5, row.state().ordinal() + 1);
    statement.setLong(6, Math.max(claim.dueAt(), claim.takenAt()));
    statement.setLong(7, row.at());
    statement.setInt(8, row.deliveries());
    statement.setBytes(9, bytes(claim.consumer()));
    statement.setBytes(10, bytes(claim.reason()));
    session.dialect.setKey(statement, 11, key);
    statement.setBytes(12, bytes(row.claimant()));
  }
}
