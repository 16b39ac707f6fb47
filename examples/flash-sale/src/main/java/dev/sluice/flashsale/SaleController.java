package dev.sluice.flashsale;

import dev.sluice.SluiceException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** What buyers and operators call. */
@RestController
final class SaleController {
  private static final Logger LOG = LoggerFactory.getLogger(SaleController.class);

  // Of one length: ab counts an answer of another length as failed.
  private static final String SOLD = "{\"answer\": \"sold\"     }\n";
  private static final String SOLD_OUT = "{\"answer\": \"sold out\" }\n";
  private static final String TRY_AGAIN = "{\"answer\": \"try again\"}\n";

  private final Sales sales;
  private final Load load;
  private final SaleProperties settings;

  SaleController(Sales sales, Load load, SaleProperties settings) {
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
        new Load.Spec(stock == null ? settings.stock() : stock, requests, concurrency, tries);
    load.start(strategies, spec);
    return Map.of("strategies", strategies, "load", spec);
  }

  @DeleteMapping("/load")
  @ResponseStatus(HttpStatus.ACCEPTED)
  void stopLoad() {
    load.stop();
  }

  @ExceptionHandler(UnknownStrategyException.class)
  @ResponseStatus(HttpStatus.NOT_FOUND)
  Map<String, String> unknown(UnknownStrategyException e) {
    return error(e);
  }

  @ExceptionHandler(IllegalArgumentException.class)
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  Map<String, String> wrong(IllegalArgumentException e) {
    return error(e);
  }

  @ExceptionHandler(MethodArgumentTypeMismatchException.class)
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  Map<String, String> noNumber(MethodArgumentTypeMismatchException e) {
    return error(
        new IllegalArgumentException(
            e.getPropertyName() + " must be a whole number: " + e.getValue(), e));
  }

  @ExceptionHandler(LoadBusyException.class)
  @ResponseStatus(HttpStatus.CONFLICT)
  Map<String, String> busy(LoadBusyException e) {
    return error(e);
  }

  /** The store or the database is in trouble: nothing was sold by this request. */
  @ExceptionHandler({
    SluiceException.class,
    StaleTokenException.class,
    DataAccessException.class,
    TransactionException.class
  })
  @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
  Map<String, String> broken(Exception e) {
    LOG.debug("Purchase failed", e);
    return error(e);
  }

  private static Map<String, String> error(Exception e) {
    return Map.of("answer", "error", "reason", String.valueOf(e.getMessage()));
  }
}
