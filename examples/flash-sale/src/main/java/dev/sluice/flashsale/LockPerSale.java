package dev.sluice.flashsale;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The lock round read, check and write, and its token in the write: should this process pause past
 * the end of its lease, the stock row has seen a newer token by then and refuses.
 */
@Component
@Order(3)
final class LockPerSale implements Seller {
  private final Ledger ledger;
  private final Instance here;
  private final SaleProperties settings;
  private final TransactionTemplate transaction;
  private final DistributedLock lock;

  LockPerSale(
      Ledger ledger,
      Instance here,
      SaleProperties settings,
      TransactionTemplate transaction,
      Sluice sluice) {
    this.ledger = ledger;
    this.here = here;
    this.settings = settings;
    this.transaction = transaction;
    this.lock = sluice.lock("flash-sale/stock");
  }

  @Override
  public Ledger ledger() {
    return ledger;
  }

  @Override
  public String strategy() {
    return "lock";
  }

  @Override
  public Answer sell() throws InterruptedException {
    try (Lease lease = lock.acquire(settings.lockWait())) {
      Ledger.Stock stock = ledger.stock("lock");
      if (stock.unitsLeft() <= 0) {
        return Answer.SOLD_OUT;
      }
      here.work();
      transaction.executeWithoutResult(
          status -> {
            if (!ledger.takeOneFenced("lock", lease.token())) {
              throw new IllegalStateException(
                  "token %d is too old: the stock row has seen %d"
                      .formatted(lease.token(), ledger.fence("lock")));
            }
            ledger.addOrder("lock", stock.run(), here.url(), lease.token());
          });
      return Answer.SOLD;
    }
  }

  /** Under the lock as well, so that its token becomes the row's: earlier holders are stale. */
  @Override
  public void reset(int stock) throws InterruptedException {
    try (Lease lease = lock.acquire(settings.lockWait())) {
      ledger.reset("lock", stock, lease.token());
    }
  }
}
