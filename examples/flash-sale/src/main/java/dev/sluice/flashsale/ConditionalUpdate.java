package dev.sluice.flashsale;

import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * {@code UPDATE … WHERE units_left > 0} says by the number of changed rows who gets one. Never
 * oversells, and the best that one statement per buyer can do: insert first, so that the row that
 * all want is locked last and for the shortest time. What remains is one commit on the disk each.
 */
@Component
@Order(6)
record ConditionalUpdate(Ledger ledger, Instance here, TransactionTemplate transaction)
    implements Seller {

  @Override
  public String strategy() {
    return "conditional";
  }

  @Override
  public Answer sell() throws InterruptedException {
    Ledger.Stock stock = ledger.stock("conditional");
    if (stock.unitsLeft() <= 0) {
      return Answer.SOLD_OUT;
    }
    here.work();
    Answer answer =
        transaction.execute(
            status -> {
              ledger.addOrder("conditional", stock.run(), here.url(), null);
              if (ledger.takeOneIfLeft("conditional")) {
                return Answer.SOLD;
              }
              status.setRollbackOnly();
              return Answer.SOLD_OUT;
            });
    return answer == null ? Answer.TRY_AGAIN : answer;
  }
}
