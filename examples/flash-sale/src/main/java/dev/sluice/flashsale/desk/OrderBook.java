package dev.sluice.flashsale.desk;

import static java.util.Objects.requireNonNull;

import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.inventory.LedgerEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionTemplate;

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
   * that all want is locked for the shortest time, and transactions can't deadlock.
   */
  private static final String COLUMNS =
      "claim_id, claimant AS buyer, request, quantity, state, reason";

  private final JdbcClient jdbc;
  private final TransactionTemplate transactions;
  private final String sale;
  private final Map<Integer, String> inserts = new ConcurrentHashMap<>();

  /** The orders of a sale, whose name has 1 to 64 characters. {@link Tables} come first. */
  public OrderBook(DataSource database, String sale) {
    if (sale.isEmpty() || sale.length() > 64) {
      throw new IllegalArgumentException("sale must have 1 to 64 characters: '" + sale + "'");
    }
    this.jdbc = JdbcClient.create(database);
    this.transactions = new TransactionTemplate(new JdbcTransactionManager(database));
    this.sale = sale;
  }

  /** Totals of the database: units on offer, units left, units of live orders, and orders. */
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

  /** Makes the stock row if there is none. A sale that runs stays as it is. */
  public void open(long total) {
    jdbc.sql(
            "INSERT INTO sale_stock (sale, total, units_left) VALUES (?, ?, ?)"
                + " ON CONFLICT DO NOTHING")
        .params(sale, total, total)
        .update();
  }

  /**
   * Writes a batch: one insert of many rows, then the stock row, in one transaction. If the
   * database refuses any of them, all are written again one by one, to find out which.
   *
   * @return orders that are new; a claim may have been written before
   */
  public List<Claim> write(DrainBatch batch) {
    List<Claim> claims = batch.claims();
    boolean written =
        inTransaction(
            status -> {
              boolean all = insert(claims) == claims.size() && take(units(claims));
              if (!all) {
                status.setRollbackOnly();
              }
              return all;
            });
    return written ? claims : writeCarefully(batch);
  }

  private List<Claim> writeCarefully(DrainBatch batch) {
    Map<Claim, String> refused = new LinkedHashMap<>();
    List<Claim> sold = inTransaction(status -> sell(batch.claims(), refused));
    refused.forEach(batch::reject);
    return sold;
  }

  private List<Claim> sell(List<Claim> claims, Map<Claim, String> refused) {
    List<Claim> written = new ArrayList<>();
    for (Claim claim : claims) {
      if (insert(List.of(claim)) == 1) {
        written.add(claim);
        continue;
      }
      Optional<Order> before = find(claim.id());
      if (before.isEmpty()) {
        String reason = "the buyer has an order already";
        reject(claim, reason, true);
        refused.put(claim, reason);
      } else if (!before.get().buyer().equals(claim.claimant())) {
        // Taking it for written would promise this buyer another buyer's order.
        throw new IllegalStateException(
            "claim " + claim.id() + " of sale '" + sale + "' has an order of another buyer");
      } else if (before.get().state() == Order.State.REJECTED) {
        refused.put(claim, before.get().reason());
      }
    }
    long left = lockStock();
    List<Claim> sold = new ArrayList<>();
    for (Claim claim : written) {
      if (claim.quantity() <= left) {
        left -= claim.quantity();
        sold.add(claim);
      } else {
        String reason = "no units are left in the database";
        reject(claim, reason, false);
        refused.put(claim, reason);
      }
    }
    if (!sold.isEmpty() && !take(units(sold))) {
      throw new IncorrectUpdateSemanticsDataAccessException(
          "the stock row changed although it is locked");
    }
    return sold;
  }

  private static long units(List<Claim> claims) {
    return claims.stream().mapToLong(Claim::quantity).sum();
  }

  private int insert(List<Claim> claims) {
    List<Object> values = new ArrayList<>(5 * claims.size());
    for (Claim claim : claims) {
      values.add(sale);
      values.add(claim.id());
      values.add(claim.claimant());
      values.add(claim.requestId());
      values.add(claim.quantity());
    }
    return jdbc.sql(inserts.computeIfAbsent(claims.size(), OrderBook::insertOf))
        .params(values)
        .update();
  }

  private static String insertOf(int rows) {
    return "INSERT INTO sale_orders (sale, claim_id, claimant, request, quantity) VALUES "
        + "(?, ?, ?, ?, ?), ".repeat(rows - 1)
        + "(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
  }

  /** Of a claim without a row, or with one that this transaction has just made. */
  private void reject(Claim claim, String reason, boolean isNew) {
    if (isNew) {
      jdbc.sql(
              "INSERT INTO sale_orders"
                  + " (sale, claim_id, claimant, request, quantity, state, live, reason)"
                  + " VALUES (?, ?, ?, ?, ?, 'REJECTED', NULL, ?)")
          .params(sale, claim.id(), claim.claimant(), claim.requestId(), claim.quantity(), reason)
          .update();
    } else {
      jdbc.sql(
              "UPDATE sale_orders SET state = 'REJECTED', live = NULL, reason = ?"
                  + " WHERE sale = ? AND claim_id = ?")
          .params(reason, sale, claim.id())
          .update();
    }
  }

  private boolean take(long units) {
    return jdbc.sql(
                "UPDATE sale_stock SET units_left = units_left - ?"
                    + " WHERE sale = ? AND units_left >= ?")
            .params(units, sale, units)
            .update()
        == 1;
  }

  private long lockStock() {
    return jdbc.sql("SELECT units_left FROM sale_stock WHERE sale = ? FOR UPDATE")
        .param(sale)
        .query(Long.class)
        .optional()
        .orElseThrow(this::noStockRow);
  }

  private DataAccessException noStockRow() {
    return new EmptyResultDataAccessException("no stock row for sale '" + sale + "'", 1);
  }

  /**
   * Makes an order final, unless it was given up.
   *
   * @return what it is now, or empty if this buyer has no such order
   */
  public Optional<Order> pay(String buyer, long claimId) {
    return inTransaction(
        status -> {
          change(buyer, claimId, "state = 'PAID'");
          return of(buyer, find(claimId));
        });
  }

  /**
   * Gives an order up, unless it was paid. Its units go back with the change of the state, in one
   * transaction, and so only once.
   *
   * @return what it is now, or empty if this buyer has no such order
   */
  public Optional<Order> cancel(String buyer, long claimId) {
    return inTransaction(
        status -> {
          boolean changed = change(buyer, claimId, "state = 'CANCELLED', live = NULL");
          Optional<Order> now = of(buyer, find(claimId));
          if (changed) {
            now.ifPresent(order -> giveBack(order.quantity()));
          }
          return now;
        });
  }

  private static Optional<Order> of(String buyer, Optional<Order> order) {
    return order.filter(found -> found.buyer().equals(buyer));
  }

  private boolean change(String buyer, long claimId, String what) {
    return jdbc.sql(
                "UPDATE sale_orders SET "
                    + what
                    + " WHERE sale = ? AND claim_id = ? AND claimant = ? AND state = 'PENDING'")
            .params(sale, claimId, buyer)
            .update()
        == 1;
  }

  /** Puts units back into the stock row. */
  protected void giveBack(int units) {
    jdbc.sql("UPDATE sale_stock SET units_left = units_left + ? WHERE sale = ?")
        .params(units, sale)
        .update();
  }

  private Optional<Order> find(long claimId) {
    return jdbc.sql("SELECT " + COLUMNS + " FROM sale_orders WHERE sale = ? AND claim_id = ?")
        .params(sale, claimId)
        .query(Order.class)
        .optional();
  }

  /** {@return the order of a buyer: the live one, or else the last that there was} */
  public Optional<Order> find(String buyer) {
    return select(
            "WHERE sale = ? AND claimant = ? ORDER BY live NULLS LAST, claim_id DESC LIMIT 1",
            buyer)
        .stream()
        .findFirst();
  }

  /** {@return the order that came of a claim, or empty} */
  public Optional<Order> find(String buyer, long claimId) {
    return select("WHERE sale = ? AND claimant = ? AND claim_id = ?", buyer, claimId).stream()
        .findFirst();
  }

  /** {@return the oldest orders that wait longer than this, with a higher claim id than that} */
  public List<Order> unpaid(Duration hold, long after, int limit) {
    return select(
        "WHERE sale = ? AND state = 'PENDING' AND written_at <= CURRENT_TIMESTAMP - CAST(? AS"
            + " BIGINT) * INTERVAL '1' SECOND / 1000 AND claim_id > ? ORDER BY claim_id LIMIT "
            + limit,
        hold.toMillis(),
        after);
  }

  /** {@return every row, the oldest first} */
  public List<Order> all() {
    return select("WHERE sale = ? ORDER BY claim_id");
  }

  /**
   * {@return all orders that were not rejected, as {@code Inventory.reconcile} wants them} Those
   * that were given up are among them: a store that has lost its last writes may hold them still.
   */
  public List<LedgerEntry> ledger() {
    return all().stream()
        .filter(order -> order.state() != Order.State.REJECTED)
        .map(OrderBook::entry)
        .toList();
  }

  /** {@return an order that was not rejected, as the store takes it over} */
  static LedgerEntry entry(Order order) {
    ClaimState state =
        switch (order.state()) {
          case PENDING -> ClaimState.HELD;
          case PAID -> ClaimState.CONFIRMED;
          default -> ClaimState.CANCELLED;
        };
    return LedgerEntry.claimId(order.claimId())
        .epoch(Terms.EPOCH)
        .claimant(order.buyer())
        .quantity(order.quantity())
        .requestId(order.request())
        .state(state);
  }

  /** {@return the figures, from one query and so from one moment} */
  public Count count() {
    return jdbc.sql(
            "SELECT s.total, s.units_left AS \"left\","
                + " COALESCE(SUM(CASE WHEN o.live = 1 THEN o.quantity ELSE 0 END), 0) AS live,"
                + " COUNT(CASE o.state WHEN 'PENDING' THEN 1 END) AS pending,"
                + " COUNT(CASE o.state WHEN 'PAID' THEN 1 END) AS paid,"
                + " COUNT(CASE o.state WHEN 'CANCELLED' THEN 1 END) AS cancelled,"
                + " COUNT(CASE o.state WHEN 'REJECTED' THEN 1 END) AS rejected"
                + " FROM sale_stock s LEFT JOIN sale_orders o ON o.sale = s.sale"
                + " WHERE s.sale = ? GROUP BY s.total, s.units_left")
        .param(sale)
        .query(Count.class)
        .optional()
        .orElseThrow(this::noStockRow);
  }

  private List<Order> select(String condition, Object... values) {
    return jdbc.sql("SELECT " + COLUMNS + " FROM sale_orders " + condition)
        .param(sale)
        .params(values)
        .query(Order.class)
        .list();
  }

  private <T> T inTransaction(TransactionCallback<T> work) {
    return requireNonNull(transactions.execute(work));
  }
}
