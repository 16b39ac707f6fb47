package dev.sluice.verification.crash;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.flashsale.desk.OrderBook;
import dev.sluice.flashsale.desk.Terms;
import dev.sluice.inventory.DrainOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.springframework.core.NestedRuntimeException;

/**
 * One process that sells, without Spring, so that a thousand of them can be killed: a desk with its
 * drain behind a small web server. Says its port on the standard output, and ends when its standard
 * input does.
 */
public class SellerMain {
  private static final long ANSWER_SECONDS = 3;

  /** For subclasses, which plant faults. */
  protected SellerMain() {}

  /**
   * Sells.
   *
   * @param args store, database, sale, total, hold in milliseconds
   * @throws IOException if there is no port
   */
  public static void main(String[] args) throws IOException {
    new SellerMain().run(args);
  }

  /**
   * Sells until the standard input ends.
   *
   * @param args of {@link #main}
   * @throws IOException if there is no port
   */
  protected final void run(String[] args) throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    Terms terms =
        new Terms(args[2], Long.parseLong(args[3]), Duration.ofMillis(Long.parseLong(args[4])));
    Sluice sluice = connect(args[0]);
    Desk desk = desk(sluice, database(args[1]), terms, args[0]);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.createContext("/", exchange -> answer(desk, exchange));
    server.start();
    System.out.println(server.getAddress().getPort());
    open(desk);
    while (System.in.read() >= 0) {
      continue;
    }
    Runtime.getRuntime().halt(0);
  }

  /** The store may be down at this moment, as when an instance is started by its supervisor. */
  private static Sluice connect(String url) {
    while (true) {
      try {
        return Sluice.connect(url);
      } catch (SluiceException e) {
        pause();
      }
    }
  }

  /** Opens as any instance does at its start, as often as it takes: a server may be down. */
  private static void open(Desk desk) {
    while (true) {
      try {
        desk.open();
        desk.startDrain(DrainOptions.defaults().takeOver(Duration.ofSeconds(1)));
        return;
      } catch (NestedRuntimeException | SluiceException e) {
        pause();
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while opening", e);
    }
  }

  /**
   * Makes the desk.
   *
   * @param sluice the store
   * @param database of the ledger
   * @param terms of the sale
   * @param url of the store
   * @return not yet open
   */
  protected Desk desk(Sluice sluice, DataSource database, Terms terms, String url) {
    return new Desk(sluice, new OrderBook(database, terms.sale()), terms);
  }

  /** {@return few connections, which are given up soon} */
  static HikariDataSource database(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(6);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(1000);
    config.setValidationTimeout(500);
    config.setInitializationFailTimeout(-1);
    // Else the pool asks its first connection for the level, and has no connection ever after if
    // the database dies at that moment.
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    return new HikariDataSource(config);
  }

  private static void answer(Desk desk, HttpExchange exchange) throws IOException {
    try (exchange) {
      String text;
      int code = 200;
      try {
        BuyerReply told = decide(desk, exchange.getRequestURI().getPath().split("/", -1));
        text = told.what() + " " + told.claimId();
      } catch (NestedRuntimeException | SluiceException | ExecutionException | TimeoutException e) {
        code = 503;
        text = String.valueOf(e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(code, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** Paths are /claim/BUYER/REQUEST, /status/BUYER, /pay/BUYER/CLAIM and /cancel/BUYER/CLAIM. */
  private static BuyerReply decide(Desk desk, String[] path)
      throws InterruptedException, ExecutionException, TimeoutException {
    String buyer = path[2];
    return switch (path[1]) {
      case "claim" ->
          desk.claim(buyer, path[3]).toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
      case "status" -> desk.status(buyer);
      case "pay" -> desk.pay(buyer, Long.parseLong(path[3]));
      case "cancel" -> desk.cancel(buyer, Long.parseLong(path[3]));
      default -> throw new IllegalArgumentException(String.join("/", List.of(path)));
    };
  }
}
