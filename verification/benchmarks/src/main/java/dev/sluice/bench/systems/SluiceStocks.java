package dev.sluice.bench.systems;

import dev.sluice.Sluice;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.inventory.Sale;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Sluice's inventories. */
final class SluiceStocks implements LockSystem {
  private final Sluice sluice;
  private final AtomicLong claimants = new AtomicLong();

  SluiceStocks(String uri) {
    this.sluice = Sluice.connect(uri);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    boolean soldOut = habit == Habit.SOLD_OUT;
    Inventory stock =
        sluice.inventory(
            name,
            InventoryOptions.defaults().withSoldOutMemo(Duration.ofSeconds(soldOut ? 10 : 0)));
    stock.open(Sale.of(1, soldOut ? 0 : StockKind.PLENTY).withDrain());
    return switch (habit) {
      case PLAIN -> new BlockingClaims(stock, Outcome.ACCEPTED);
      case SOLD_OUT -> new BlockingClaims(stock, Outcome.SOLD_OUT);
      case STREAMED ->
          new ClaimMutex(
              () -> {
                String claimant = nextClaimant();
                return stock
                    .async()
                    .claim(claimant, 1, claimant)
                    .thenApply(result -> result.outcome() == Outcome.ACCEPTED);
              },
              StockKind.UNDER_WAY);
      default -> throw StockKind.notOfStock(habit);
    };
  }

  private String nextClaimant() {
    return "user/" + claimants.incrementAndGet();
  }

  @Override
  public void close() {
    sluice.close();
  }

  private final class BlockingClaims implements Mutex {
    private final Inventory stock;
    private final Outcome expected;

    BlockingClaims(Inventory stock, Outcome expected) {
      this.stock = stock;
      this.expected = expected;
    }

    @Override
    public void acquire() {
      String claimant = nextClaimant();
      ClaimResult result = stock.claim(claimant, 1, claimant);
      if (result.outcome() != expected) {
        throw new IllegalStateException(stock.name() + " answered " + result);
      }
    }

    @Override
    public void release() {
      // a claim is not given back
    }
  }
}
