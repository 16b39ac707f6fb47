package dev.sluice.flashsale.desk;

import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.inventory.LedgerEntry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The ledger of one sale: the database has the last word on who has bought. PostgreSQL, or H2 in
 * its mode of that name. Safe for use by many threads and processes.
 */
public class OrderBook {
  /*
   * Three guards stand in the tables, so that no fault of the store, of a drain or of this class
   * oversells: the claim id is the key, so a claim that is drained twice is one row; a buyer has
   * at most one row that is live; and the stock row never goes below zero, and goes down by what
   * was really inserted. Every transaction touches orders first and the stock row last: the row
   * that all want is locked for the shortest time, and nobody waits for each other in a ring.
   */
  private static final String COLUMNS =
      "claim_id, claimant, request, quantity, state, reason, written_at";

  private final DataSource database;
  private final String sale;
  private final Map<Integer, String> inserts = new java.util.concurrent.ConcurrentHashMap<>();

  /**
   * The orders of a sale. The tables must be there, see {@link Tables}.
   *
   * @param database where
   * @param sale which, 1 to 64 characters
   */
  public OrderBook(DataSource database, String sale) {
    if (sale.isEmpty() || sale.length() > 64) {
      throw new IllegalArgumentException("sale must have 1 to 64 characters: '" + sale + "'");
    }
    this.database = database;
    this.sale = sale;
  }

  /**
   * What the database says about the stock.
   *
   * @param total units on offer
   * @param left units of the stock row
   * @param live units of orders that are not given up
   * @param pending orders that are not paid
   * @param paid orders
   * @param cancelled orders
   * @param rejected claims
   */
  public record Count(
      long total, long left, long live, long pending, long paid, long cancelled, long rejected) {

    /** {@return rows that came of admissions} */
    public long rows() {
      return pending + paid + cancelled + rejected;
    }
  }

  /** {@return which sale} */
  public final String sale() {
    return sale;
  }

  /**
   * Makes the stock row if there is none. A sale that runs stays as it is.
   *
   * @param total units on offer
   * @throws SQLException if the database fails
   */
  public void open(long total) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO sale_stock (sale, total, units_left) VALUES (?, ?, ?)"
                    + " ON CONFLICT DO NOTHING")) {
      connection.setAutoCommit(true);
      insert.setString(1, sale);
      insert.setLong(2, total);
      insert.setLong(3, total);
      insert.executeUpdate();
    }
  }

  /**
   * Writes a batch: one insert of many rows, then the stock row, in one transaction. If the
   * database refuses any of them, all are written again one by one, to find out which.
   *
   * @param batch claims, each perhaps written before
   * @return orders that are new
   * @throws SQLException if the database fails; nothing was written
   */
  public List<Claim> write(DrainBatch batch) throws SQLException {
    List<Claim> claims = batch.claims();
    try (Transaction transaction = new Transaction(database)) {
      if (insert(transaction.connection, claims) == claims.size()
          && take(transaction.connection, units(claims))) {
        transaction.commit();
        return claims;
      }
    }
    return writeCarefully(batch);
  }

  private List<Claim> writeCarefully(DrainBatch batch) throws SQLException {
    List<Claim> written = new ArrayList<>();
    Map<Claim, String> refused = new LinkedHashMap<>();
    try (Transaction transaction = new Transaction(database)) {
      Connection connection = transaction.connection;
      for (Claim claim : batch.claims()) {
        if (insert(connection, List.of(claim)) == 1) {
          written.add(claim);
          continue;
        }
        Optional<Order> before = find(connection, claim.id());
        if (before.isEmpty()) {
          String reason = "the buyer has an order already";
          reject(connection, claim, reason, true);
          refused.put(claim, reason);
        } else if (!before.get().buyer().equals(claim.claimant())) {
          // Taking it for written would promise this buyer somebody else's order.
          throw new IllegalStateException(
              "claim " + claim.id() + " of sale '" + sale + "' has an order of another buyer");
        } else if (before.get().state() == Order.State.REJECTED) {
          refused.put(claim, before.get().reason());
        }
      }
      long left = lockStock(connection);
      List<Claim> sold = new ArrayList<>();
      for (Claim claim : written) {
        if (claim.quantity() <= left) {
          left -= claim.quantity();
          sold.add(claim);
        } else {
          String reason = "no units are left in the database";
          reject(connection, claim, reason, false);
          refused.put(claim, reason);
        }
      }
      written = sold;
      if (!sold.isEmpty() && !take(connection, units(sold))) {
        throw new SQLException("the stock row changed although it is locked");
      }
      transaction.commit();
    }
    refused.forEach(batch::reject);
    return written;
  }

  private static long units(List<Claim> claims) {
    return claims.stream().mapToLong(Claim::quantity).sum();
  }

  private int insert(Connection connection, List<Claim> claims) throws SQLException {
    String sql = inserts.computeIfAbsent(claims.size(), OrderBook::insertOf);
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      int at = 0;
      for (Claim claim : claims) {
        insert.setString(++at, sale);
        insert.setLong(++at, claim.id());
        insert.setString(++at, claim.claimant());
        insert.setString(++at, claim.requestId());
        insert.setInt(++at, claim.quantity());
      }
      return insert.executeUpdate();
    }
  }

  private static String insertOf(int rows) {
    return "INSERT INTO sale_orders (sale, claim_id, claimant, request, quantity) VALUES "
        + "(?, ?, ?, ?, ?), ".repeat(rows - 1)
        + "(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
  }

  /** Of a claim without a row, or with one that this transaction has just made. */
  private void reject(Connection connection, Claim claim, String reason, boolean isNew)
      throws SQLException {
    if (isNew) {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO sale_orders"
                  + " (sale, claim_id, claimant, request, quantity, state, live, reason)"
                  + " VALUES (?, ?, ?, ?, ?, 'REJECTED', NULL, ?)")) {
        insert.setString(1, sale);
        insert.setLong(2, claim.id());
        insert.setString(3, claim.claimant());
        insert.setString(4, claim.requestId());
        insert.setInt(5, claim.quantity());
        insert.setString(6, reason);
        insert.executeUpdate();
      }
      return;
    }
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE sale_orders SET state = 'REJECTED', live = NULL, reason = ?"
                + " WHERE sale = ? AND claim_id = ?")) {
      update.setString(1, reason);
      update.setString(2, sale);
      update.setLong(3, claim.id());
      update.executeUpdate();
    }
  }

  private boolean take(Connection connection, long units) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE sale_stock SET units_left = units_left - ?"
                + " WHERE sale = ? AND units_left >= ?")) {
      update.setLong(1, units);
      update.setString(2, sale);
      update.setLong(3, units);
      return update.executeUpdate() == 1;
    }
  }

  private long lockStock(Connection connection) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT units_left FROM sale_stock WHERE sale = ? FOR UPDATE")) {
      select.setString(1, sale);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("no stock row for sale '" + sale + "'");
        }
        return row.getLong(1);
      }
    }
  }

  /**
   * Makes an order final, unless it was given up.
   *
   * @param buyer whose; nobody changes an order of somebody else
   * @param claimId which
   * @return what it is now, or empty if there is none
   * @throws SQLException if the database fails
   */
  public Optional<Order> pay(String buyer, long claimId) throws SQLException {
    try (Transaction transaction = new Transaction(database)) {
      change(transaction.connection, buyer, claimId, "state = 'PAID'");
      Optional<Order> now = of(buyer, find(transaction.connection, claimId));
      transaction.commit();
      return now;
    }
  }

  /**
   * Gives an order up, unless it was paid. Its units go back with the change of the state, in one
   * transaction, and so only once.
   *
   * @param buyer whose; nobody changes an order of somebody else
   * @param claimId which
   * @return what it is now, or empty if there is none
   * @throws SQLException if the database fails
   */
  public Optional<Order> cancel(String buyer, long claimId) throws SQLException {
    try (Transaction transaction = new Transaction(database)) {
      Connection connection = transaction.connection;
      boolean changed = change(connection, buyer, claimId, "state = 'CANCELLED', live = NULL");
      Optional<Order> now = of(buyer, find(connection, claimId));
      if (changed && now.isPresent()) {
        giveBack(connection, now.get().quantity());
      }
      transaction.commit();
      return now;
    }
  }

  private static Optional<Order> of(String buyer, Optional<Order> order) {
    return order.filter(found -> found.buyer().equals(buyer));
  }

  private boolean change(Connection connection, String buyer, long claimId, String what)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE sale_orders SET "
                + what
                + " WHERE sale = ? AND claim_id = ? AND claimant = ? AND state = 'PENDING'")) {
      update.setString(1, sale);
      update.setLong(2, claimId);
      update.setString(3, buyer);
      return update.executeUpdate() == 1;
    }
  }

  /**
   * Puts units back into the stock row.
   *
   * @param connection in a transaction
   * @param units how many
   * @throws SQLException if the database fails
   */
  protected void giveBack(Connection connection, int units) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE sale_stock SET units_left = units_left + ? WHERE sale = ?")) {
      update.setInt(1, units);
      update.setString(2, sale);
      update.executeUpdate();
    }
  }

  private Optional<Order> find(Connection connection, long claimId) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT " + COLUMNS + " FROM sale_orders WHERE sale = ? AND claim_id = ?")) {
      select.setString(1, sale);
      select.setLong(2, claimId);
      return orders(select).stream().findFirst();
    }
  }

  /**
   * The order of a buyer: the live one, or else the last that there was.
   *
   * @param buyer who
   * @return the order, or empty
   * @throws SQLException if the database fails
   */
  public Optional<Order> find(String buyer) throws SQLException {
    return select(
            "WHERE sale = ? AND claimant = ? ORDER BY live NULLS LAST, claim_id DESC LIMIT 1",
            buyer)
        .stream()
        .findFirst();
  }

  /**
   * The order that came of a claim.
   *
   * @param buyer whose
   * @param claimId which
   * @return the order, or empty
   * @throws SQLException if the database fails
   */
  public Optional<Order> find(String buyer, long claimId) throws SQLException {
    return select("WHERE sale = ? AND claimant = ? AND claim_id = ?", buyer, claimId).stream()
        .findFirst();
  }

  /**
   * Orders that should have been paid by now.
   *
   * @param hold how long an order may wait
   * @param after only claims with a higher id than this
   * @param limit most to return
   * @return the oldest first
   * @throws SQLException if the database fails
   */
  public List<Order> unpaid(Duration hold, long after, int limit) throws SQLException {
    return select(
        "WHERE sale = ? AND state = 'PENDING'"
            + " AND written_at <= CURRENT_TIMESTAMP - CAST(? AS BIGINT) * INTERVAL '1' SECOND / 1000"
            + " AND claim_id > ? ORDER BY claim_id LIMIT "
            + limit,
        hold.toMillis(),
        after);
  }

  /** {@return every row, the oldest first} */
  public List<Order> all() throws SQLException {
    return select("WHERE sale = ? ORDER BY claim_id");
  }

  /**
   * {@return the live order of each buyer, or else the last one, as {@code Inventory.reconcile}
   * wants it}
   */
  public List<LedgerEntry> ledger() throws SQLException {
    Map<String, LedgerEntry> last = new LinkedHashMap<>();
    for (Order order : all()) {
      if (order.state() != Order.State.REJECTED) {
        LedgerEntry entry = entry(order);
        LedgerEntry before = last.get(order.buyer());
        // Claims may be written out of order: the live order is not always the highest.
        if (before == null || entry.state().isLive() || !before.state().isLive()) {
          last.put(order.buyer(), entry);
        }
      }
    }
    return List.copyOf(last.values());
  }

  /** {@return an order that was not rejected, as the store takes it over} */
  static LedgerEntry entry(Order order) {
    ClaimState state =
        switch (order.state()) {
          case PENDING -> ClaimState.HELD;
          case PAID -> ClaimState.CONFIRMED;
          default -> ClaimState.CANCELLED;
        };
    return new LedgerEntry(
        order.buyer(), order.claimId(), order.quantity(), order.request(), state);
  }

  /** {@return the figures, from one query and so from one moment} */
  public Count count() throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT s.total, s.units_left,"
                    + " COALESCE(SUM(CASE WHEN o.live = 1 THEN o.quantity ELSE 0 END), 0),"
                    + counted("PENDING")
                    + counted("PAID")
                    + counted("CANCELLED")
                    + " COUNT(CASE WHEN o.state = 'REJECTED' THEN 1 END)"
                    + " FROM sale_stock s LEFT JOIN sale_orders o ON o.sale = s.sale"
                    + " WHERE s.sale = ? GROUP BY s.total, s.units_left")) {
      select.setString(1, sale);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("no stock row for sale '" + sale + "'");
        }
        return new Count(
            row.getLong(1),
            row.getLong(2),
            row.getLong(3),
            row.getLong(4),
            row.getLong(5),
            row.getLong(6),
            row.getLong(7));
      }
    }
  }

  private static String counted(String state) {
    return " COUNT(CASE WHEN o.state = '" + state + "' THEN 1 END),";
  }

  private List<Order> select(String condition, Object... values) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT " + COLUMNS + " FROM sale_orders " + condition)) {
      select.setString(1, sale);
      for (int i = 0; i < values.length; i++) {
        select.setObject(i + 2, values[i]);
      }
      return orders(select);
    }
  }

  private static List<Order> orders(PreparedStatement select) throws SQLException {
    List<Order> orders = new ArrayList<>();
    try (ResultSet row = select.executeQuery()) {
      while (row.next()) {
        orders.add(
            new Order(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getInt(4),
                Order.State.valueOf(row.getString(5)),
                row.getString(6),
                row.getTimestamp(7).toInstant()));
      }
    }
    return orders;
  }

  /** Rolled back unless it was committed. */
  private static final class Transaction implements AutoCloseable {
    final Connection connection;
    private boolean committed;

    Transaction(DataSource database) throws SQLException {
      Connection taken = database.getConnection();
      try {
        taken.setAutoCommit(false);
      } catch (SQLException e) {
        try (taken) { // else the pool would miss it for good
          throw e;
        }
      }
      connection = taken;
    }

    void commit() throws SQLException {
      connection.commit();
      committed = true;
    }

    @Override
    public void close() throws SQLException {
      try (connection) {
        if (!committed) {
          connection.rollback();
        }
      }
    }
  }
}
