package dev.sluice.bench.sale;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.Sluice;
import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.flashsale.desk.OrderBook;
import dev.sluice.flashsale.desk.Tables;
import dev.sluice.flashsale.desk.Terms;
import dev.sluice.inventory.DrainOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Measures the drain without a web server: prints one line of figures for the benchmark. Runs on
 * the class path of the sample.
 */
public final class DrainMeasure {
  private static final int AT_ONCE = 2000;
  private static final int WARM_UP = 20_000;
  private static final Duration HOLD = Duration.ofHours(1);

  private final Sluice sluice;
  private final HikariDataSource database;

  private DrainMeasure(Sluice sluice, HikariDataSource database) {
    this.sluice = sluice;
    this.database = database;
  }

  /**
   * Measures. Prints durable orders per second, claims per second while the time was taken, and
   * median and 99th percentile of the milliseconds from claim to commit.
   *
   * @param args store, database, claims to drain, claims per second, seconds
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] args) throws InterruptedException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[1]);
    config.setMaximumPoolSize(4);
    try (HikariDataSource database = new HikariDataSource(config);
        Sluice sluice = Sluice.connect(args[0])) {
      Tables.create(database);
      DrainMeasure measure = new DrainMeasure(sluice, database);
      measure.drain(WARM_UP);
      double rate = measure.drain(Integer.parseInt(args[2]));
      String lag = measure.lag(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
      System.out.printf(Locale.ROOT, "%nmeasured: %.0f %s%n", rate, lag);
    }
  }

  private Desk open(int units) {
    String sale = "measure-" + System.nanoTime();
    Desk desk = new Desk(sluice, new OrderBook(database, sale), new Terms(sale, units, HOLD));
    desk.open();
    return desk;
  }

  /** {@return durable orders per second, when all claims wait already} */
  private double drain(int claims) throws InterruptedException {
    try (Desk desk = open(claims)) {
      for (int from = 0; from < claims; from += AT_ONCE) {
        List<CompletableFuture<BuyerReply>> sent = new ArrayList<>();
        for (int i = from; i < Math.min(claims, from + AT_ONCE); i++) {
          sent.add(desk.claim("b" + i, "1").toCompletableFuture());
        }
        sent.forEach(CompletableFuture::join);
      }
      long start = System.nanoTime();
      desk.startDrain(DrainOptions.defaults());
      while (desk.written() < claims) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      return claims / ((System.nanoTime() - start) / 1e9);
    }
  }

  private String lag(int perSecond, int seconds) throws InterruptedException {
    int claims = perSecond * seconds;
    Map<String, Long> sentAt = new ConcurrentHashMap<>();
    ConcurrentHistogram micros = new ConcurrentHistogram(600_000_000L, 3);
    LongAdder durable = new LongAdder();
    try (Desk desk = open(claims)) {
      desk.onOrders(
          orders -> {
            long now = System.nanoTime();
            orders.forEach(
                order -> {
                  Long at = sentAt.remove(order.claimant());
                  if (at != null) {
                    micros.recordValue((now - at) / 1000);
                  }
                });
            durable.add(orders.size());
          });
      desk.startDrain(DrainOptions.defaults());
      long start = System.nanoTime();
      for (int i = 0; i < claims; i++) {
        long due = start + i * 1_000_000_000L / perSecond;
        while (System.nanoTime() - due < 0) {
          TimeUnit.MICROSECONDS.sleep(200);
        }
        sentAt.put("b" + i, due); // when it should have been sent: a late sender hides nothing
        desk.claim("b" + i, "1");
      }
      double rate = claims / ((System.nanoTime() - start) / 1e9);
      while (durable.sum() < claims) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      return String.format(
          Locale.ROOT,
          "%.0f %.1f %.1f",
          rate,
          micros.getValueAtPercentile(50) / 1000.0,
          micros.getValueAtPercentile(99) / 1000.0);
    }
  }
}
