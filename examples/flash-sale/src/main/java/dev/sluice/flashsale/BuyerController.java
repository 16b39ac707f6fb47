package dev.sluice.flashsale;

import dev.sluice.SluiceException;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.flashsale.desk.Showcase;
import dev.sluice.flashsale.desk.Told;
import dev.sluice.flashsale.desk.Told.What;
import dev.sluice.inventory.Claim;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** What a buyer of the limited stock calls beside the claim: token, order, payment. */
@RestController
final class BuyerController {
  private static final int MOST_WATCHERS = 1000;
  private static final long LONGEST_WATCH_MILLIS = 120_000;
  private static final Set<What> LAST = EnumSet.of(What.PAID, What.CANCELLED, What.REJECTED);

  private final LimitedStock stock;
  private final Map<SseEmitter, Watch> watches = new ConcurrentHashMap<>();

  BuyerController(LimitedStock stock) {
    this.stock = stock;
    stock.onOrders(this::ordered);
  }

  /** Somebody who waits for news of an order. */
  private static final class Watch {
    final String buyer;
    private Told last = new Told(What.CLOSED, -1); // told to nobody yet

    Watch(String buyer) {
      this.buyer = buyer;
    }
  }

  /** An answer as JSON: the claim is text, since a script's numbers are too short for it. */
  record Reply(String answer, String claim, String sale) {}

  private Reply reply(Desk desk, Told told) {
    return new Reply(told.what().word(), Long.toString(told.claimId()), desk.terms().sale());
  }

  /** Stands for what a log-in gives out shortly before the sale. */
  @GetMapping("/buyer/token")
  Map<String, String> token(@RequestParam String buyer) {
    String sale = stock.desk().terms().sale();
    return Map.of("sale", sale, "token", stock.gate().tokens().issue(buyer, sale));
  }

  @GetMapping("/buyer/order")
  Reply order(@RequestParam String buyer) throws SQLException {
    Desk desk = stock.desk();
    return reply(desk, desk.status(buyer));
  }

  @PostMapping("/buyer/pay")
  Reply pay(@RequestParam String buyer, @RequestParam long claim) throws SQLException {
    Desk desk = stock.desk();
    return reply(desk, desk.pay(buyer, claim));
  }

  @PostMapping("/buyer/cancel")
  Reply cancel(@RequestParam String buyer, @RequestParam long claim) throws SQLException {
    Desk desk = stock.desk();
    return reply(desk, desk.cancel(buyer, claim));
  }

  /** What visitors see: the product, what is left, who bought last, and where most buyers live. */
  @GetMapping("/showcase")
  Showcase.View showcase(@RequestParam(defaultValue = "0") int page) {
    if (page < 0 || page >= Showcase.MOST_RECENT / Showcase.PAGE) {
      throw new IllegalArgumentException(
          "page must be 0 to " + (Showcase.MOST_RECENT / Showcase.PAGE - 1) + ": " + page);
    }
    return stock.view(page);
  }

  /** Sends what becomes of an order, until that is final. */
  @GetMapping(path = "/buyer/order/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  SseEmitter events(@RequestParam String buyer) throws SQLException {
    if (watches.size() >= MOST_WATCHERS) {
      throw new LoadBusyException();
    }
    Desk desk = stock.desk();
    Told first = desk.status(buyer);
    SseEmitter line = new SseEmitter(LONGEST_WATCH_MILLIS);
    line.onCompletion(() -> watches.remove(line));
    line.onTimeout(line::complete);
    line.onError(failure -> watches.remove(line));
    Watch watch = new Watch(buyer);
    watches.put(line, watch);
    tell(line, watch, desk, first);
    return line;
  }

  /** Orders that were made durable here are told at once; those of other instances by the look. */
  private void ordered(Desk desk, List<Claim> orders) {
    if (!watches.isEmpty()) {
      Map<String, Claim> byBuyer = new java.util.HashMap<>();
      orders.forEach(order -> byBuyer.put(order.claimant(), order));
      watches.forEach(
          (line, watch) -> {
            Claim order = byBuyer.get(watch.buyer);
            if (order != null) {
              tell(line, watch, desk, new Told(What.ORDERED, order.id()));
            }
          });
    }
  }

  @Scheduled(fixedDelay = 200)
  void look() {
    if (watches.isEmpty()) {
      return;
    }
    Desk desk = stock.desk();
    watches.forEach(
        (line, watch) -> {
          try {
            tell(line, watch, desk, desk.status(watch.buyer));
          } catch (SQLException | SluiceException e) {
            return; // no news is no wrong news
          }
        });
  }

  private void tell(SseEmitter line, Watch watch, Desk desk, Told told) {
    synchronized (watch) {
      boolean isStale = told.what() == What.QUEUED && told.claimId() == watch.last.claimId();
      if (told.equals(watch.last) || isStale) {
        return;
      }
      watch.last = told;
      try {
        line.send(reply(desk, told));
        if (LAST.contains(told.what())) {
          line.complete();
        }
      } catch (IOException | IllegalStateException gone) {
        watches.remove(line);
      }
    }
  }

  @ExceptionHandler(IllegalArgumentException.class)
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  Map<String, String> wrong(IllegalArgumentException e) {
    return Map.of("answer", "error", "reason", String.valueOf(e.getMessage()));
  }

  @ExceptionHandler(LoadBusyException.class)
  @ResponseStatus(HttpStatus.CONFLICT)
  Map<String, String> busy(LoadBusyException e) {
    return Map.of("answer", "error", "reason", String.valueOf(e.getMessage()));
  }

  @ExceptionHandler({SluiceException.class, SQLException.class, IllegalStateException.class})
  @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
  Map<String, String> broken(Exception e) {
    return Map.of("answer", "error", "reason", String.valueOf(e.getMessage()));
  }

  @PreDestroy
  void close() {
    watches.keySet().forEach(SseEmitter::complete);
  }
}
