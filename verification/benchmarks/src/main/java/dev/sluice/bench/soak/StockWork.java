package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.Sale;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** One drained sale after the other, and I1 and I2 on the way. */
final class StockWork {
  private static final int UNITS = 200;
  private static final int CLAIMANTS = 400;

  /** A sale that is over has all its claims in the ledger, so nothing comes late for long. */
  private static final int SALES_KEPT = 4;

  private final String prefix;
  private final LoadCounts counts;
  private final AtomicLong epoch = new AtomicLong();
  private final AtomicLong accepted = new AtomicLong();
  private final TreeMap<Long, Map<String, Long>> ledger = new TreeMap<>(); // guarded by itself

  StockWork(String prefix, LoadCounts counts) {
    this.prefix = prefix;
    this.counts = counts;
  }

  Work stock(Sluice sluice, boolean leads) {
    Inventory stock = sluice.inventory(prefix + "stock");
    if (leads) {
      next(stock);
    }
    stock.drain(DrainOptions.defaults().batch(50).takeOver(Duration.ofSeconds(3)), this::write);
    return random -> {
      claim(stock, random);
      if (leads && random.nextInt(50) == 0) {
        turnOver(stock);
      }
      counts.done("limited stock");
    };
  }

  private void claim(Inventory stock, RandomGenerator random) {
    String claimant = "user/" + random.nextInt(CLAIMANTS);
    Outcome outcome = stock.claim(claimant, 1, "request-" + epoch.get()).outcome();
    if (outcome == Outcome.ACCEPTED) {
      long sum = accepted.incrementAndGet();
      if (sum > UNITS * epoch.get()) {
        counts.broke("I1", sum + " units of " + epoch.get() + " sales were accepted");
      }
    }
  }

  private void turnOver(Inventory stock) {
    InventoryInfo figures = stock.info();
    if (figures.left() <= 0 && figures.open()) {
      stock.close(figures.epoch());
    }
    if (!figures.open() && figures.waiting() == 0) {
      next(stock);
    }
  }

  /** Counted first: who claims must not be quicker than the count. */
  private void next(Inventory stock) {
    long known = stock.info().epoch();
    epoch.set(known + 1);
    stock.open(Sale.epoch(known + 1).total(UNITS).drained());
  }

  /** The ledger: one order for each claimant of a sale, even if claims come twice. */
  private void write(DrainBatch batch) {
    synchronized (ledger) {
      for (Claim claim : batch.claims()) {
        Map<String, Long> orders = ledger.computeIfAbsent(claim.epoch(), key -> new HashMap<>());
        Long before = orders.putIfAbsent(claim.claimant(), claim.id());
        if (before != null && before != claim.id()) {
          counts.broke("I2", claim.claimant() + " has claims " + before + " and " + claim.id());
        }
        if (orders.size() > UNITS) {
          counts.broke("I1", orders.size() + " orders of sale " + claim.epoch());
        }
      }
      while (ledger.size() > SALES_KEPT) {
        ledger.pollFirstEntry();
      }
    }
  }
}
