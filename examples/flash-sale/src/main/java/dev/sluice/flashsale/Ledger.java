package dev.sluice.flashsale;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * The stock of record and the orders, in the database that all instances share. What was sold is
 * the number of order rows, whatever the stock row claims.
 */
@Component
final class Ledger {
  private final JdbcTemplate jdbc;

  Ledger(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  /** What a purchase reads before it decides. */
  record Stock(long run, int unitsLeft) {}

  /** A stock row and its orders, counted per instance. */
  record Book(long run, int total, int unitsLeft, long fence, Map<String, Integer> soldBy) {
    int sold() {
      return soldBy.values().stream().mapToInt(Integer::intValue).sum();
    }

    int oversold() {
      return Math.max(0, sold() - total);
    }
  }

  Stock stock(String strategy) {
    return single(
        jdbc.query(
            "SELECT run, units_left FROM stock WHERE strategy = ?",
            (row, n) -> new Stock(row.getLong(1), row.getInt(2)),
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

  /** Writes what the caller computed, over whatever was written since it read. */
  void overwrite(String strategy, int unitsLeft) {
    jdbc.update("UPDATE stock SET units_left = ? WHERE strategy = ?", unitsLeft, strategy);
  }

  void takeOneUnchecked(String strategy) {
    jdbc.update("UPDATE stock SET units_left = units_left - 1 WHERE strategy = ?", strategy);
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

  /** Makes the stock row if there is none; a running sale of another instance stays as it is. */
  void ensureStock(String strategy, int total) {
    jdbc.update(
        "MERGE INTO stock USING (VALUES (CAST(? AS VARCHAR), CAST(? AS INT))) AS v (strategy, total)"
            + " ON stock.strategy = v.strategy WHEN NOT MATCHED THEN"
            + " INSERT (strategy, run, total, units_left, fence) VALUES (v.strategy, 1, v.total, v.total, 0)",
        strategy,
        total);
  }

  /** A new run: all units back, orders of earlier runs gone. */
  void reset(String strategy, int total, long fence) {
    jdbc.update(
        "UPDATE stock SET run = run + 1, total = ?, units_left = ?, fence = ? WHERE strategy = ?",
        total,
        total,
        fence,
        strategy);
    jdbc.update(
        "DELETE FROM orders WHERE strategy = ? AND run < (SELECT run FROM stock WHERE strategy = ?)",
        strategy,
        strategy);
  }

  /** {@return every strategy's book, from one query and so from one moment} */
  Map<String, Book> books() {
    Map<String, Book> books = new LinkedHashMap<>();
    jdbc.query(
        "SELECT s.strategy, s.run, s.total, s.units_left, s.fence, o.instance, COUNT(o.id)"
            + " FROM stock s LEFT JOIN orders o ON o.strategy = s.strategy AND o.run = s.run"
            + " GROUP BY s.strategy, s.run, s.total, s.units_left, s.fence, o.instance",
        row -> {
          String instance = row.getString(6);
          Book book =
              books.computeIfAbsent(row.getString(1), s -> new Book(0, 0, 0, 0, new TreeMap<>()));
          if (instance != null) {
            book.soldBy().put(instance, row.getInt(7));
          }
          books.put(
              row.getString(1),
              new Book(
                  row.getLong(2), row.getInt(3), row.getInt(4), row.getLong(5), book.soldBy()));
        });
    return books;
  }

  /** Says that an instance is alive. */
  void beat(String url) {
    jdbc.update("MERGE INTO instances (url, seen) VALUES (?, CURRENT_TIMESTAMP)", url);
  }

  void leave(String url) {
    jdbc.update("DELETE FROM instances WHERE url = ?", url);
  }

  /** {@return instances that said so in the last three seconds} */
  List<String> instances() {
    return jdbc.queryForList(
        "SELECT url FROM instances WHERE seen > DATEADD('SECOND', -3, CURRENT_TIMESTAMP) ORDER BY url",
        String.class);
  }
}
