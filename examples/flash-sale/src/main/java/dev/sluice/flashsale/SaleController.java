package dev.sluice.flashsale;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The requests of buyers and operators. */
@RestController
final class SaleController {
  // Of one length: ab counts an answer of another length as failed.
  private static final String SOLD = "{\"answer\": \"sold\"     }\n";
  private static final String SOLD_OUT = "{\"answer\": \"sold out\" }\n";
  private static final String TRY_AGAIN = "{\"answer\": \"try again\"}\n";

  private final Sales sales;
  private final DemoLoad load;
  private final SaleProperties settings;

  SaleController(Sales sales, DemoLoad load, SaleProperties settings) {
    this.sales = sales;
    this.load = load;
    this.settings = settings;
  }

  /** Buys one unit. GET as well, because ab and browsers send that. */
  @RequestMapping(
      path = "/sale/{strategy}",
      method = {RequestMethod.GET, RequestMethod.POST},
      produces = MediaType.APPLICATION_JSON_VALUE)
  String buy(@PathVariable String strategy) throws InterruptedException {
    return switch (sales.sell(strategy)) {
      case SOLD -> SOLD;
      case SOLD_OUT -> SOLD_OUT;
      case TRY_AGAIN -> TRY_AGAIN;
    };
  }

  @GetMapping("/sale/{strategy}/detail")
  Sales.Detail detail(@PathVariable String strategy) {
    return sales.freshDetail(strategy);
  }

  @PostMapping("/sale/{strategy}/reset")
  Sales.Detail reset(@PathVariable String strategy, @RequestParam @Nullable Integer stock)
      throws InterruptedException {
    return sales.reset(strategy, stock == null ? settings.stock() : stock);
  }

  /** Lets buyers in: to one strategy, or to all, one after the other. */
  @PostMapping({"/load", "/load/{strategy}"})
  @ResponseStatus(HttpStatus.ACCEPTED)
  Map<String, Object> startLoad(
      @PathVariable(required = false) @Nullable String strategy,
      @RequestParam(defaultValue = "4000") int requests,
      @RequestParam(defaultValue = "64") int concurrency,
      @RequestParam(defaultValue = "1") int tries,
      @RequestParam @Nullable Integer stock) {
    List<String> strategies = strategy == null ? sales.strategies() : List.of(strategy);
    var spec =
        new DemoLoad.Spec(stock == null ? settings.stock() : stock, requests, concurrency, tries);
    load.start(strategies, spec);
    return Map.of("strategies", strategies, "load", spec);
  }

  @DeleteMapping("/load")
  @ResponseStatus(HttpStatus.ACCEPTED)
  void stopLoad() {
    load.stop();
  }
}
