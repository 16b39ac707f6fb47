package dev.sluice.flashsale;

import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * {@code SELECT … FOR UPDATE}: the database's own lock, held from the check to the commit. Never
 * oversells. The row is locked over every round trip in between and over the write to the disk, so
 * buyers pass one at a time, and each of those who wait keeps a connection.
 */
@Component
@Order(5)
record PessimisticRow(Ledger ledger, Instance here, TransactionTemplate transaction)
    implements Seller {

  @Override
  public String strategy() {
    return "pessimistic";
  }

  @Override
  public Answer sell() {
    Answer answer =
        transaction.execute(
            status -> {
              Ledger.Stock stock = ledger.lockedStock("pessimistic");
              if (stock.unitsLeft() <= 0) {
                return Answer.SOLD_OUT;
              }
              here.workUninterrupted();
              ledger.takeOneUnchecked("pessimistic");
              ledger.addOrder("pessimistic", stock.run(), here.url(), null);
              return Answer.SOLD;
            });
    return answer == null ? Answer.TRY_AGAIN : answer;
  }
}
