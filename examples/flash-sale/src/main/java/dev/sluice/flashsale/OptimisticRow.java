package dev.sluice.flashsale;

import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A version in the stock row: read it, and write only if it is still the same. Never oversells. The
 * more buyers at a time, the more of them write with a version that is no longer current. After a
 * few tries a buyer is refused although there are units.
 */
@Component
@Order(4)
record OptimisticRow(Ledger ledger, Instance here, TransactionTemplate transaction)
    implements Seller {
  private static final int TRIES = 5;

  @Override
  public String strategy() {
    return "optimistic";
  }

  @Override
  public Answer sell() throws InterruptedException {
    for (int tries = 0; tries < TRIES; tries++) {
      Ledger.Stock stock = ledger.stock("optimistic");
      if (stock.unitsLeft() <= 0) {
        return Answer.SOLD_OUT;
      }
      here.work();
      Boolean sold =
          transaction.execute(
              status -> {
                if (!ledger.takeOneOfVersion("optimistic", stock.version())) {
                  return false;
                }
                ledger.addOrder("optimistic", stock.run(), here.url(), null);
                return true;
              });
      if (Boolean.TRUE.equals(sold)) {
        return Answer.SOLD;
      }
    }
    return Answer.TRY_AGAIN;
  }
}
