package dev.sluice.flashsale.desk;

import dev.sluice.inventory.Claim;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The views of this process alone, where no Redis is at hand. */
public final class MemoryShowcase implements Showcase {
  private String sale = ""; // guarded by this, as all below: one sale at a time
  private Map<String, String> product = Map.of();
  private long stock;
  private final Set<String> buyers = new HashSet<>();
  private final Deque<String> recent = new ArrayDeque<>();
  private final Map<String, Long> towns = new HashMap<>();

  @Override
  public synchronized void open(String sale, Map<String, String> product, long units) {
    if (!this.sale.equals(sale)) {
      this.sale = sale;
      this.product = Map.copyOf(product);
      stock = units;
      buyers.clear();
      recent.clear();
      towns.clear();
    }
  }

  @Override
  public synchronized void show(String sale, List<Claim> orders) {
    for (Claim order : orders) {
      if (this.sale.equals(sale) && buyers.add(order.claimant())) {
        stock -= order.quantity();
        recent.addFirst(order.claimant());
        if (recent.size() > MOST_RECENT) {
          recent.removeLast();
        }
        towns.merge(Showcase.town(order.claimant()), 1L, Long::sum);
      }
    }
  }

  @Override
  public synchronized View look(String sale, int page) {
    if (!this.sale.equals(sale)) {
      return new View(Map.of(), 0, 0, List.of(), List.of());
    }
    return new View(
        product,
        stock,
        buyers.size(),
        recent.stream().skip((long) page * PAGE).limit(PAGE).toList(),
        towns.entrySet().stream()
            .map(town -> new Leader(town.getKey(), town.getValue()))
            .sorted(Comparator.comparingLong(Leader::orders).reversed().thenComparing(Leader::town))
            .toList());
  }

  @Override
  public void close() {}
}
