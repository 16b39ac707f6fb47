package dev.sluice.flashsale;

import dev.sluice.SluiceException;
import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.inventory.Claim;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.core.NestedRuntimeException;

/**
 * The payments of the built-in crowd: most of them pay soon after their order is durable, the
 * others never, so that their units come back. A payment that failed is sent again.
 */
final class Payers {
  private static final int MAX_WAITING = 100_000;
  private static final int PERCENT = 100;
  private static final long MAX_PAYMENT_MILLIS = 10_000;

  private final Desk desk;
  private final int percent;
  private final LinkedBlockingQueue<Claim> due = new LinkedBlockingQueue<>(MAX_WAITING);
  private volatile boolean closed;
  private final Thread thread = new Thread(this::run, "flash-sale-payers");

  /**
   * Starts.
   *
   * @param share of the crowd that pays, 0 to 1
   */
  Payers(Desk desk, double share) {
    this.desk = desk;
    this.percent = (int) Math.round(share * PERCENT);
    thread.setDaemon(true);
    thread.start();
  }

  /** Those of the crowd among these buyers are going to pay, or not. */
  void accept(List<Claim> orders) {
    for (Claim order : orders) {
      if (order.claimant().startsWith(Buyers.CROWD)
          && Math.floorMod(order.claimant().hashCode(), PERCENT) < percent) {
        due.offer(order);
      }
    }
  }

  private void run() {
    try {
      while (!closed) {
        Claim order = due.poll(100, TimeUnit.MILLISECONDS);
        if (order != null && !isSettled(order)) {
          due.offer(order);
          TimeUnit.MILLISECONDS.sleep(2);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isSettled(Claim order) {
    try {
      return desk.pay(order.claimant(), order.id()).what() != BuyerReply.What.QUEUED;
    } catch (NestedRuntimeException | SluiceException e) {
      return false;
    }
  }

  /**
   * Stops, and waits for the payment under way. Does not interrupt it: H2 closes its file when a
   * thread is interrupted inside of it.
   */
  void close() {
    closed = true;
    try {
      thread.join(MAX_PAYMENT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
