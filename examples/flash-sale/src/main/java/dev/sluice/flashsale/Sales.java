package dev.sluice.flashsale;

import dev.sluice.flashsale.Seller.Answer;
import jakarta.annotation.PreDestroy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/** The strategies of this instance, what each one answered here, and what the database says. */
@Component
final class Sales {
  private static final Logger LOG = LoggerFactory.getLogger(Sales.class);

  private final Map<String, Seller> sellers = new LinkedHashMap<>();
  private final Map<String, Run> runs = new ConcurrentHashMap<>();
  private final Ledger ledger;
  private final Instance here;
  private volatile Map<String, Ledger.Book> books = Map.of();
  private volatile List<String> instances = List.of();
  private volatile boolean open;

  Sales(List<Seller> sellers, Ledger ledger, Instance here, SaleProperties settings) {
    this.ledger = ledger;
    this.here = here;
    for (Seller seller : sellers) {
      this.sellers.put(seller.strategy(), seller);
      ledger.ensureStock(seller.strategy(), settings.stock());
    }
    refresh();
  }

  private record Run(long number, RequestMeter meter) {}

  /**
   * A strategy's figures: what the database holds, and what this instance answered.
   *
   * @param ordersPerSecond from the opening of the sale to the last order in the database
   */
  record Detail(
      String strategy,
      String instance,
      long run,
      int stock,
      int unitsLeft,
      int sold,
      int oversold,
      long fence,
      Map<String, Integer> soldBy,
      double ordersPerSecond,
      RequestMeter.Reading answered) {}

  List<String> strategies() {
    return List.copyOf(sellers.keySet());
  }

  List<String> instances() {
    return instances;
  }

  Answer sell(String strategy) throws InterruptedException {
    Seller seller = seller(strategy);
    RequestMeter meter = run(strategy).meter();
    long start = System.nanoTime();
    RequestMeter.End end = RequestMeter.End.FAILED;
    try {
      Answer answer = seller.sell();
      end =
          switch (answer) {
            case SOLD -> RequestMeter.End.SOLD;
            case SOLD_OUT -> RequestMeter.End.SOLD_OUT;
            case TRY_AGAIN -> RequestMeter.End.FAILED;
          };
      return answer;
    } finally {
      meter.add(end, start, System.nanoTime());
    }
  }

  /** The buyers of a strategy come now. */
  void open(String strategy) {
    ledger.open(strategy);
  }

  /** Waits until what buyers of a strategy were told has come to its end. */
  void settle(String strategy) throws InterruptedException {
    seller(strategy).settle();
  }

  /** Counts a request that was answered elsewhere. */
  void answered(String strategy, RequestMeter.End end, long startNanos) {
    run(strategy).meter().add(end, startNanos, System.nanoTime());
  }

  /** Counts an order that the limit turned away before a seller saw it. */
  void refused(String strategy, long startNanos) {
    if (sellers.containsKey(strategy)) {
      run(strategy).meter().add(RequestMeter.End.REFUSED, startNanos, System.nanoTime());
    }
  }

  Detail reset(String strategy, int stock) throws InterruptedException {
    seller(strategy).reset(SaleProperties.requireStock(stock));
    return freshDetail(strategy);
  }

  /** {@return the figures of this moment, read from the database} */
  Detail freshDetail(String strategy) {
    seller(strategy);
    refresh();
    return detail(strategy);
  }

  /**
   * {@return the figures as of the last look at the database, a quarter of a second ago at most}
   */
  Detail detail(String strategy) {
    seller(strategy);
    Ledger.Book book = book(strategy);
    return new Detail(
        strategy,
        here.url(),
        book.run(),
        book.total(),
        book.unitsLeft(),
        book.sold(),
        book.oversold(),
        book.fence(),
        book.soldBy(),
        book.seconds() == 0 ? 0 : Math.round(book.sold() / book.seconds() * 10) / 10.0,
        run(strategy).meter().read());
  }

  private Seller seller(String strategy) {
    Seller seller = sellers.get(strategy);
    if (seller == null) {
      throw new ResponseStatusException(
          HttpStatus.NOT_FOUND,
          "no strategy '%s': there are %s"
              .formatted(strategy, String.join(", ", sellers.keySet())));
    }
    return seller;
  }

  private Ledger.Book book(String strategy) {
    Ledger.Book book = books.get(strategy);
    if (book == null) {
      throw new IllegalStateException("no stock row for '" + strategy + "'");
    }
    return book;
  }

  private Run run(String strategy) {
    long number = book(strategy).run();
    Run known = runs.get(strategy);
    return known != null && known.number() >= number
        ? known
        : runs.merge(
            strategy,
            new Run(number, new RequestMeter()),
            (a, b) -> a.number() >= b.number() ? a : b);
  }

  /** Reads the database and updates the strategies, so that a reset elsewhere is noticed here. */
  private synchronized void refresh() {
    Map<String, Ledger.Book> seen = ledger.books();
    for (Seller seller : sellers.values()) {
      Ledger.Book book = seen.get(seller.strategy());
      if (book != null) {
        seller.refresh(book);
      }
    }
    books = seen;
  }

  @EventListener(ApplicationReadyEvent.class)
  void open() {
    open = true;
    beat();
  }

  @Scheduled(fixedDelay = 250)
  void look() {
    orSayWhy(
        () -> {
          refresh();
          instances = ledger.instances();
        });
  }

  @Scheduled(fixedDelay = 1000)
  void beat() {
    if (open) {
      orSayWhy(
          () -> {
            ledger.beat(here.url());
            instances = ledger.instances();
          });
    }
  }

  @PreDestroy
  void leave() {
    open = false;
    orSayWhy(() -> ledger.leave(here.url()));
  }

  /** Runs what is tried again anyway. */
  static void orSayWhy(Runnable task) {
    try {
      task.run();
    } catch (DataAccessException e) {
      LOG.warn("The database does not answer: {}", e.getMostSpecificCause().getMessage());
    }
  }
}
