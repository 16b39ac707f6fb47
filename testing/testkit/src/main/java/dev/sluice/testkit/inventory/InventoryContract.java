package dev.sluice.testkit.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.inventory.DrainHandler;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.inventory.Sale;
import dev.sluice.testkit.Contract;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Common parts of the tests of limited stock.
 *
 * @since 0.1
 */
public interface InventoryContract extends Contract {

  /** The stock of most tests. */
  String NAME = "contract/stock {7}";

  /** The shortest hold that a busy machine allows. */
  Duration HOLD = Duration.ofMillis(400);

  /** {@return the stock of a new client, which reads the store each time} */
  default Inventory stock() {
    return stock(client());
  }

  /** The stock of a client that reads the store each time. */
  default Inventory stock(Sluice client) {
    return client.inventory(NAME, InventoryOptions.defaults().soldOutMemo(Duration.ZERO));
  }

  /** The stock over a faulty backend. */
  default Inventory over(FlakyBackend line) {
    return stock(client(line));
  }

  /** {@return a unique request id} */
  default String newRequest() {
    return "request-" + kept(AtomicInteger.class, AtomicInteger::new).incrementAndGet();
  }

  /** Waits for other threads, which may wait for time, by moving time. */
  default void eventually(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > store().patience().toNanos()) {
        throw new AssertionError("timed out waiting until " + what);
      }
      store().pass(Duration.ofMillis(10));
      LockSupport.parkNanos(500_000);
    }
  }

  /** Claims one unit, which must succeed. */
  default long accepted(Inventory stock, String claimant) {
    ClaimResult result = stock.claim(claimant, 1, newRequest());
    assertThat(result.outcome()).as(claimant).isEqualTo(Outcome.ACCEPTED);
    assertThat(result.claimId()).isPositive();
    return result.claimId();
  }

  /** Reads the counts, which must be consistent. */
  default InventoryInfo figures(Inventory stock) {
    InventoryInfo figures = stock.info();
    assertThat(
            figures.left()
                + figures.queued()
                + figures.held()
                + figures.confirmed()
                + figures.deadLetters())
        .as("%s", figures)
        .isEqualTo(figures.total());
    return figures;
  }

  /** The state of a claimant's last claim. */
  default ClaimState state(Inventory stock, String claimant) {
    return stock.find(claimant).map(Claim::state).orElse(ClaimState.UNKNOWN);
  }

  /** Returns the terms of a sale with a drain. */
  default Sale drained(long total) {
    return Sale.epoch(1).total(total).drained();
  }

  /** Orders as in a database: one for each claim, one live for each claimant. */
  final class Ledger implements DrainHandler {
    private final Map<Long, Claim> orders = new ConcurrentHashMap<>();
    private final AtomicInteger deliveries = new AtomicInteger();

    /** An empty word. */
    public Ledger() {}

    @Override
    public void write(DrainBatch batch) {
      for (Claim claim : batch.claims()) {
        deliveries.incrementAndGet();
        Claim known = orders.putIfAbsent(claim.id(), claim);
        if (known != null && !known.claimant().equals(claim.claimant())) {
          throw new AssertionError("one id, two claims: " + known + ", " + claim);
        }
      }
    }

    /** {@return the orders by the ids of their claims} */
    public Map<Long, Claim> orders() {
      return orders;
    }

    /** {@return the number of claims that it was given, counting repeats} */
    public int deliveries() {
      return deliveries.get();
    }

    /** Returns the orders as a reconciliation reads them. */
    public List<LedgerEntry> entries(ClaimState state) {
      return orders.values().stream().map(claim -> LedgerEntry.of(claim).state(state)).toList();
    }
  }
}
