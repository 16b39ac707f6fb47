package dev.sluice.flashsale;

import java.util.concurrent.atomic.LongAdder;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * An atomic counter inside the JVM: look at it, then count down. Each step is atomic and the two
 * together are not, so buyers between them pass on one unit. And every instance counts its own copy
 * of the stock: two of them sell it twice.
 */
@Component
@Order(2)
final class LocalCounter implements Seller {
  private final Ledger ledger;
  private final Instance here;
  private volatile Copy copy = new Copy(0);

  LocalCounter(Ledger ledger, Instance here) {
    this.ledger = ledger;
    this.here = here;
  }

  private record Copy(long run, LongAdder unitsLeft) {
    Copy(long run) {
      this(run, new LongAdder());
    }
  }

  @Override
  public String strategy() {
    return "atomic";
  }

  @Override
  public Answer sell() throws InterruptedException {
    Copy mine = copy;
    if (mine.unitsLeft.sum() <= 0) {
      return Answer.SOLD_OUT;
    }
    here.work();
    mine.unitsLeft.decrement();
    ledger.takeOneUnchecked("atomic");
    ledger.addOrder("atomic", mine.run, here.url(), null);
    return Answer.SOLD;
  }

  @Override
  public Ledger ledger() {
    return ledger;
  }

  /** Loads the counter at the start and after a reset, as one loads a cache before the sale. */
  @Override
  public synchronized void refresh(Ledger.Book book) {
    if (book.run() > copy.run) {
      Copy fresh = new Copy(book.run());
      fresh.unitsLeft.add(book.unitsLeft());
      copy = fresh;
    }
  }
}
