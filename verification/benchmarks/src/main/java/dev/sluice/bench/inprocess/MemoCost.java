package dev.sluice.bench.inprocess;

import dev.sluice.Sluice;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.inventory.Sale;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A claim of a stock that is known to be sold out. */
@State(Scope.Benchmark)
public class MemoCost {
  private static final int BUYERS = 1_000;

  private final Keys keys = new Keys("user/");
  private final Sluice client = Sluice.connect("memory:");
  private final Inventory stock =
      client.inventory("bench", InventoryOptions.defaults().soldOutMemo(Duration.ofSeconds(10)));
  private final Set<String> buyers = ConcurrentHashMap.newKeySet();
  private volatile boolean soldOut;

  /** A thousand others have bought it all. */
  public MemoCost() {
    stock.open(Sale.epoch(1).total(BUYERS));
    for (int i = 0; i < BUYERS; i++) {
      String buyer = "buyer/" + i;
      stock.claim(buyer, 1, buyer);
      buyers.add(buyer);
    }
    soldOut = true;
  }

  @Benchmark
  public ClaimResult.Outcome sluice() {
    String claimant = keys.next();
    return stock.claim(claimant, 1, claimant).outcome();
  }

  /** A flag, and a set of those who have a claim. */
  @Benchmark
  public boolean floor() {
    return soldOut && !buyers.contains(keys.next());
  }

  @TearDown
  public void close() {
    client.close();
  }
}
