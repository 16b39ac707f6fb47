package dev.sluice.flashsale;

import dev.sluice.Sluice;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Sends the figures to every open page, four times a second. */
@RestController
final class EventsController {
  private static final long FOR_EVER = 0;
  private static final int MAX_PAGES = 32;

  private final Sales sales;
  private final DemoLoad load;
  private final Catalogue catalogue;
  private final LimitedStock stock;
  private final String store;
  private final SaleProperties settings;
  private final Set<SseEmitter> pages = ConcurrentHashMap.newKeySet();

  EventsController(
      Sales sales,
      DemoLoad load,
      Catalogue catalogue,
      LimitedStock stock,
      Sluice sluice,
      SaleProperties settings) {
    this.sales = sales;
    this.load = load;
    this.catalogue = catalogue;
    this.stock = stock;
    this.store = sluice.describe();
    this.settings = settings;
  }

  /**
   * The content of a page.
   *
   * @param showcase whether there are views and codes, which need a Redis
   */
  record Event(
      String store,
      long workMillis,
      double roundTripMillis,
      DemoLoad.State load,
      List<String> instances,
      Map<String, Line> sales,
      Catalogue.Reading catalogue,
      @Nullable Map<String, Long> stages,
      boolean showcase) {}

  /**
   * One strategy.
   *
   * @param load how the built-in buyers fared in this run, or null if none came
   */
  record Line(Sales.Detail detail, DemoLoad.@Nullable Progress load) {}

  @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  SseEmitter events() throws IOException {
    if (pages.size() >= MAX_PAGES) {
      throw new ResponseStatusException(HttpStatus.CONFLICT, "too many pages are open already");
    }
    SseEmitter page = new SseEmitter(FOR_EVER);
    page.onCompletion(() -> pages.remove(page));
    page.onError(failure -> pages.remove(page));
    page.send(event());
    pages.add(page);
    return page;
  }

  @Scheduled(fixedDelay = 250)
  void publish() {
    if (pages.isEmpty()) {
      return;
    }
    Event event = event();
    for (SseEmitter page : pages) {
      try {
        page.send(event);
      } catch (IOException | IllegalStateException gone) {
        pages.remove(page);
      }
    }
  }

  private Event event() {
    Map<String, Line> lines = new LinkedHashMap<>();
    for (String strategy : sales.strategies()) {
      lines.put(strategy, new Line(sales.detail(strategy), load.progress(strategy)));
    }
    return new Event(
        store,
        settings.work().toMillis(),
        settings.roundTrip().toNanos() / 1e6,
        load.state(),
        sales.instances(),
        lines,
        catalogue.read(),
        stock.stages(),
        stock.hasShowcase());
  }

  @PreDestroy
  void close() {
    for (SseEmitter page : pages) {
      try {
        page.complete();
      } catch (IllegalStateException gone) {
        continue; // its reader has left at this moment
      }
    }
  }
}
