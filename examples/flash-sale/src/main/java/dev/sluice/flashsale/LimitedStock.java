package dev.sluice.flashsale;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.flashsale.desk.AdmissionControl;
import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.flashsale.desk.OrderBook;
import dev.sluice.flashsale.desk.SaleTokens;
import dev.sluice.flashsale.desk.Showcase;
import dev.sluice.flashsale.desk.Terms;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.InventoryInfo;
import jakarta.annotation.PreDestroy;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.NestedRuntimeException;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Limited stock: the store decides who gets a unit, a consumer writes the orders in batches, and
 * only a written order is reported as ordered. The stock that all want is a number in memory, and
 * the disk sees one commit for hundreds of buyers.
 */
@Component
@Order(7)
final class LimitedStock implements Seller {
  static final String STRATEGY = "inventory";

  private static final Logger LOG = LoggerFactory.getLogger(LimitedStock.class);
  private static final Duration MAX_DRAIN = Duration.ofSeconds(30);

  private final Sluice sluice;
  private final DataSource database;
  private final Ledger ledger;
  private final SaleProperties settings;
  private final Instance here;
  private final AdmissionControl gate;
  private final @Nullable Showcase showcase;
  private final AtomicLong unknownBuyers = new AtomicLong();
  private volatile @Nullable Stand stand;

  LimitedStock(
      Sluice sluice,
      DataSource database,
      Ledger ledger,
      SaleProperties settings,
      Instance here,
      @Value("${sluice.url:memory:}") String store) {
    this.sluice = sluice;
    this.showcase = isOneRedis(store) ? new Showcase(store, settings.redisTimeout()) : null;
    this.database = database;
    this.ledger = ledger;
    this.settings = settings;
    this.here = here;
    this.gate =
        new AdmissionControl(tokens(settings, ledger), settings.perBuyer(), settings.together());
  }

  /** The desk of one run. */
  private record Stand(long run, Desk desk, Payers payers) {}

  private static SaleTokens tokens(SaleProperties settings, Ledger ledger) {
    return new SaleTokens(key(settings, ledger), Clock.systemUTC());
  }

  /** {@return the key that all instances share} */
  static byte[] key(SaleProperties settings, Ledger ledger) {
    String key = settings.tokenKey();
    String text = key != null ? key : ledger.tokenKey(SaleTokens.newKey());
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether views and codes can be kept in the store too. */
  static boolean isOneRedis(String store) {
    return store.matches("rediss?:.*");
  }

  @Override
  public Ledger ledger() {
    return ledger;
  }

  @Override
  public String strategy() {
    return STRATEGY;
  }

  AdmissionControl gate() {
    return gate;
  }

  /** {@return the desk of the present run} */
  Desk desk() {
    Stand present = stand;
    if (present == null) {
      throw new IllegalStateException(
          "the sale is not open yet: the store or the database is away");
    }
    return present.desk();
  }

  /** A claim of a buyer that has logged in and has a token. */
  CompletionStage<BuyerReply> claim(String buyer, String token, String request) {
    return gate.claim(desk(), token, buyer, request);
  }

  /** A claim of a new buyer, as every request of ab is: gets a token, and returns it. */
  CompletionStage<BuyerReply> claimOfUnknownBuyer() {
    String buyer = "new/" + here.url() + "/" + unknownBuyers.incrementAndGet();
    Desk desk = desk();
    return gate.claim(desk, gate.tokens().issue(buyer, desk.terms().sale()), buyer, "1");
  }

  @Override
  public Answer sell() {
    return switch (claimOfUnknownBuyer().toCompletableFuture().join().what()) {
      case SOLD_OUT, CLOSED -> Answer.SOLD_OUT;
      case LIMITED, NO_TOKEN -> Answer.TRY_AGAIN;
      default -> Answer.SOLD;
    };
  }

  @Override
  public void reset(int stock) {
    Stand before = stand;
    ledger.reset(STRATEGY, stock, 0);
    if (before != null) {
      end(before);
      ledger.forgetSale(before.desk().terms().sale());
    }
  }

  /**
   * Opens the desk of the run that the database names: every instance does, and the first loads.
   */
  @Override
  public synchronized void refresh(Ledger.Book book) {
    Stand before = stand;
    if (before != null && before.run() >= book.run()) {
      return;
    }
    Terms terms = new Terms(sale(book.run()), book.total(), settings.hold());
    Desk desk = new Desk(sluice, new OrderBook(database, terms.sale()), terms);
    try {
      desk.open();
    } catch (NestedRuntimeException | SluiceException e) {
      LOG.warn("The sale cannot be opened, and is tried again: {}", e.getMessage());
      desk.close();
      return;
    }
    if (showcase != null) {
      show(showcase, desk);
    }
    Payers payers = new Payers(desk, settings.payShare());
    desk.onOrders(payers::accept);
    desk.startDrain(DrainOptions.defaults().takeOver(Duration.ofSeconds(5)));
    stand = new Stand(book.run(), desk, payers);
    if (before != null) {
      end(before);
    }
  }

  /** The window is for show: without it the sale goes on. */
  private static void show(Showcase showcase, Desk desk) {
    Terms terms = desk.terms();
    desk.onOrders(orders -> showcase.show(terms.sale(), orders));
    try {
      showcase.open(
          terms.sale(), Map.of("name", "Sluice gate, model", "cents", "4900"), terms.total());
    } catch (RuntimeException e) {
      LOG.warn("The sale is not shown: {}", e.getMessage());
    }
  }

  /** {@return what visitors see of the present run; empty without a Redis} */
  Optional<Showcase.View> view(int page) {
    return Optional.ofNullable(showcase).map(shown -> shown.look(desk().terms().sale(), page));
  }

  /** {@return who bought in this run and in another; empty without a Redis} */
  Optional<Showcase.Common> common(long run) {
    return Optional.ofNullable(showcase)
        .map(shown -> shown.common(desk().terms().sale(), sale(run)));
  }

  boolean hasShowcase() {
    return showcase != null;
  }

  static String sale(long run) {
    return "run-" + run;
  }

  private static void end(Stand stand) {
    try {
      stand.desk().end();
    } catch (SluiceException e) {
      LOG.debug("The sale before is not closed", e);
    }
    stand.payers().close();
    stand.desk().close();
  }

  /** Waits until what was admitted is durable. */
  @Override
  public void settle() throws InterruptedException {
    long end = System.nanoTime() + MAX_DRAIN.toNanos();
    while (desk().info().waiting() > 0 && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** {@return how far buyers of the present run have come, or null while a server is away} */
  @Nullable Map<String, Long> stages() {
    Stand present = stand;
    if (present == null) {
      return null;
    }
    try {
      InventoryInfo store = present.desk().info();
      OrderBook.Count book = present.desk().book().count();
      return Map.of(
          "admitted", store.claims(),
          "queued", store.queued(),
          "lagMillis", store.lag().toMillis(),
          "pending", book.pending(),
          "paid", book.paid(),
          "returned", book.cancelled(),
          "rejected", book.rejected(),
          "storeLeft", store.left(),
          "left", book.left());
    } catch (NestedRuntimeException | SluiceException e) {
      LOG.debug("No figures", e);
      return null;
    }
  }

  @PreDestroy
  synchronized void close() {
    Stand present = stand;
    if (present != null) {
      present.payers().close();
      present.desk().close();
    }
    if (showcase != null) {
      showcase.close();
    }
    gate.close();
  }
}
