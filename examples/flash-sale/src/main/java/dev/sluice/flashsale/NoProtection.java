package dev.sluice.flashsale;

import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Read, subtract, write. Two buyers who read the same number both get a unit, and the row says that
 * one was sold.
 */
@Component
@Order(1)
record NoProtection(Ledger ledger, Instance here) implements Seller {

  @Override
  public String strategy() {
    return "none";
  }

  @Override
  public Answer sell() throws InterruptedException {
    Ledger.Stock stock = ledger.stock("none");
    if (stock.unitsLeft() <= 0) {
      return Answer.SOLD_OUT;
    }
    here.work();
    ledger.overwrite("none", stock.unitsLeft() - 1);
    ledger.addOrder("none", stock.run(), here.url(), null);
    return Answer.SOLD;
  }
}
