package dev.sluice.flashsale;

import dev.sluice.flashsale.desk.Tables;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * The stock of record and the orders, in the database that all instances share. What was sold is
 * the number of order rows, not the number in the stock row.
 */
@Component
final class Ledger {
  private final JdbcTemplate jdbc;

  Ledger(JdbcTemplate jdbc, DataSource database) throws SQLException {
    Tables.create(database);
    this.jdbc = jdbc;
  }

  /** The values that a purchase reads before it decides. */
  record Stock(long run, int unitsLeft, long version) {}

  /**
   * A stock row and its orders, counted per instance.
   *
   * @param seconds from the opening to the last order, by the clock of the database
   */
  record Book(
      long run, int total, int unitsLeft, long fence, Map<String, Integer> soldBy, double seconds) {
    int sold() {
      return soldBy.values().stream().mapToInt(Integer::intValue).sum();
    }

    int oversold() {
      return Math.max(0, sold() - total);
    }
  }

  Stock stock(String strategy) {
    return stock(strategy, "");
  }

  /** Locks the row until the transaction ends. */
  Stock lockedStock(String strategy) {
    return stock(strategy, " FOR UPDATE");
  }

  private Stock stock(String strategy, String lock) {
    return single(
        jdbc.query(
            "SELECT run, units_left, version FROM stock WHERE strategy = ?" + lock,
            (row, n) -> new Stock(row.getLong(1), row.getInt(2), row.getLong(3)),
            strategy),
        strategy);
  }

  long fence(String strategy) {
    return single(
        jdbc.queryForList("SELECT fence FROM stock WHERE strategy = ?", Long.class, strategy),
        strategy);
  }

  private static <T> T single(List<T> rows, String strategy) {
    if (rows.size() != 1) {
      throw new IllegalStateException("no stock row for '" + strategy + "'");
    }
    return rows.get(0);
  }

  /** Writes what the caller computed, and overwrites writes since its read. */
  void overwrite(String strategy, int unitsLeft) {
    jdbc.update("UPDATE stock SET units_left = ? WHERE strategy = ?", unitsLeft, strategy);
  }

  void takeOneUnchecked(String strategy) {
    jdbc.update("UPDATE stock SET units_left = units_left - 1 WHERE strategy = ?", strategy);
  }

  /** {@return false if nothing is left} */
  boolean takeOneIfLeft(String strategy) {
    return jdbc.update(
            "UPDATE stock SET units_left = units_left - 1 WHERE strategy = ? AND units_left > 0",
            strategy)
        == 1;
  }

  /** {@return false if another transaction has changed the row since this version} */
  boolean takeOneOfVersion(String strategy, long version) {
    return jdbc.update(
            "UPDATE stock SET units_left = units_left - 1, version = version + 1"
                + " WHERE strategy = ? AND version = ?",
            strategy,
            version)
        == 1;
  }

  /** {@return false if nothing is left, or if a newer token has changed the row} */
  boolean takeOneFenced(String strategy, long token) {
    return jdbc.update(
            "UPDATE stock SET units_left = units_left - 1, fence = ?"
                + " WHERE strategy = ? AND units_left > 0 AND fence <= ?",
            token,
            strategy,
            token)
        == 1;
  }

  void addOrder(String strategy, long run, String instance, @Nullable Long token) {
    jdbc.update(
        "INSERT INTO orders (strategy, run, instance, token) VALUES (?, ?, ?, ?)",
        strategy,
        run,
        instance,
        token);
  }

  /**
   * Makes the stock row if there is none; a running sale of another instance stays as it is. The
   * first run has a number that no other database has, since a store may outlive a database.
   */
  void ensureStock(String strategy, int total) {
    long firstRun = System.currentTimeMillis();
    jdbc.update(
        "INSERT INTO stock (strategy, run, total, units_left, fence) VALUES (?, ?, ?, ?, 0)"
            + " ON CONFLICT DO NOTHING",
        strategy,
        firstRun,
        total,
        total);
  }

  /** A new run: all units back, orders of earlier runs gone. */
  void reset(String strategy, int total, long fence) {
    jdbc.update(
        "UPDATE stock SET run = run + 1, total = ?, units_left = ?, fence = ?, version = 0,"
            + " opened = CURRENT_TIMESTAMP WHERE strategy = ?",
        total,
        total,
        fence,
        strategy);
    jdbc.update(
        "DELETE FROM orders WHERE strategy = ? AND run < (SELECT run FROM stock WHERE strategy ="
            + " ?)",
        strategy,
        strategy);
  }

  /** The buyers come now: orders per second count from here. */
  void open(String strategy) {
    jdbc.update("UPDATE stock SET opened = CURRENT_TIMESTAMP WHERE strategy = ?", strategy);
  }

  /** {@return the key of the sale tokens: that of the first instance that asked} */
  String tokenKey(String fresh) {
    jdbc.update("INSERT INTO sale_keys (id, text) VALUES (1, ?) ON CONFLICT DO NOTHING", fresh);
    return single(
        jdbc.queryForList("SELECT text FROM sale_keys WHERE id = 1", String.class), "key");
  }

  /** Forgets the orders of a sale that is over. */
  void forgetSale(String sale) {
    jdbc.update("DELETE FROM sale_stock WHERE sale = ?", sale);
    jdbc.update("DELETE FROM sale_orders WHERE sale = ?", sale);
  }

  /** {@return every strategy's book, from one query and so from one moment} */
  Map<String, Book> books() {
    Map<String, Book> books = new LinkedHashMap<>();
    jdbc.query(
        "SELECT s.strategy, s.run, s.total, s.units_left, s.fence, o.instance, COUNT(o.id),"
            + " s.opened, MAX(o.at)"
            + " FROM stock s LEFT JOIN orders o ON o.strategy = s.strategy AND o.run = s.run"
            + " GROUP BY s.strategy, s.run, s.total, s.units_left, s.fence, s.opened, o.instance",
        row -> {
          String instance = row.getString(6);
          Book book =
              books.computeIfAbsent(
                  row.getString(1), s -> new Book(0, 0, 0, 0, new TreeMap<>(), 0));
          if (instance != null) {
            book.soldBy().put(instance, row.getInt(7));
          }
          books.put(
              row.getString(1),
              new Book(
                  row.getLong(2),
                  row.getInt(3),
                  row.getInt(4),
                  row.getLong(5),
                  book.soldBy(),
                  Math.max(book.seconds(), seconds(row.getTimestamp(8), row.getTimestamp(9)))));
        });
    books.computeIfPresent(LimitedStock.STRATEGY, (strategy, book) -> ofLimitedStock(book));
    return books;
  }

  private static double seconds(Timestamp opened, @Nullable Timestamp last) {
    return last == null ? 0 : Math.max(0, last.getTime() - opened.getTime()) / 1000.0;
  }

  /** The orders of the limited stock are rows of separate tables. */
  private Book ofLimitedStock(Book book) {
    List<Book> books =
        jdbc.query(
            "SELECT COUNT(o.claim_id), s.units_left, MAX(o.written_at),"
                + " (SELECT opened FROM stock WHERE strategy = ?)"
                + " FROM sale_stock s LEFT JOIN sale_orders o ON o.sale = s.sale AND o.live = 1"
                + " WHERE s.sale = ? GROUP BY s.units_left",
            (row, n) ->
                new Book(
                    book.run(),
                    book.total(),
                    row.getInt(2),
                    book.fence(),
                    Map.of("", row.getInt(1)),
                    seconds(row.getTimestamp(4), row.getTimestamp(3))),
            LimitedStock.STRATEGY,
            LimitedStock.sale(book.run()));
    return books.isEmpty() ? book : books.get(0); // no row: the sale is not open yet
  }

  /** Says that an instance is alive. */
  void beat(String url) {
    if (jdbc.update("UPDATE instances SET seen = CURRENT_TIMESTAMP WHERE url = ?", url) == 0) {
      jdbc.update(
          "INSERT INTO instances (url, seen) VALUES (?, CURRENT_TIMESTAMP) ON CONFLICT DO NOTHING",
          url);
    }
  }

  void leave(String url) {
    jdbc.update("DELETE FROM instances WHERE url = ?", url);
  }

  /**
   * {@return instances that said so in the last ten seconds} They do each second; one that a busy
   * machine holds up for a few seconds still sells.
   */
  List<String> instances() {
    return jdbc.queryForList(
        "SELECT url FROM instances WHERE seen > CURRENT_TIMESTAMP - INTERVAL '10' SECOND ORDER BY"
            + " url",
        String.class);
  }

  /**
   * The load that an instance runs.
   *
   * @param url of the instance
   * @param stopped whether it is to end
   */
  record SharedLoad(String url, boolean stopped) {}

  /** {@return false if another instance runs a load} One instance starts one load at a time. */
  boolean beginLoad(String url) {
    jdbc.update(
        "DELETE FROM loads WHERE url = ? OR seen < CURRENT_TIMESTAMP - INTERVAL '10' SECOND", url);
    return jdbc.update(
            "INSERT INTO loads (id, url, stopped, seen) VALUES (1, ?, FALSE, CURRENT_TIMESTAMP)"
                + " ON CONFLICT DO NOTHING",
            url)
        == 1;
  }

  /** {@return the load under way, whose instance is alive} */
  Optional<SharedLoad> load() {
    return jdbc
        .query(
            "SELECT url, stopped FROM loads WHERE seen > CURRENT_TIMESTAMP - INTERVAL '10' SECOND",
            (row, n) -> new SharedLoad(row.getString(1), row.getBoolean(2)))
        .stream()
        .findFirst();
  }

  /** Records that the load of an instance is still under way. */
  void beatLoad(String url) {
    jdbc.update("UPDATE loads SET seen = CURRENT_TIMESTAMP WHERE url = ?", url);
  }

  /** Asks the instance that runs a load to end it. */
  void stopLoad() {
    jdbc.update("UPDATE loads SET stopped = TRUE");
  }

  void endLoad(String url) {
    jdbc.update("DELETE FROM loads WHERE url = ?", url);
  }
}
