package dev.sluice.internal.inventory;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.spi.ClientParts;
import dev.sluice.text.Names;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The stocks of one client over one backend. Safe for use by many threads. */
public final class InventoryEngine implements AutoCloseable {
  private final InventoryStore store;
  private final ConcurrentHashMap<String, StockCoordinator> coordinators =
      new ConcurrentHashMap<>();

  /**
   * An engine without stocks.
   *
   * @param parts of the client
   */
  public InventoryEngine(ClientParts parts) {
    this.store = new InventoryStore(parts);
  }

  /**
   * Returns a stock by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how it is used
   * @return the stock; any number of objects of one name mean the same stock
   */
  public Inventory inventory(String name, InventoryOptions options) {
    Names.check(name);
    return new ClientInventory(
        store, () -> coordinator(name), name, requireNonNull(options, "options must not be null"));
  }

  private StockCoordinator coordinator(String name) {
    StockCoordinator known = coordinators.get(name);
    StockCoordinator coordinator =
        known == null
            ? coordinators.computeIfAbsent(name, n -> new StockCoordinator(store, n, this::isUsed))
            : known;
    if (store.isClosed()) { // close() may have missed it
      coordinator.close();
      throw Failures.closed();
    }
    return coordinator;
  }

  /** A caller may still use a coordinator that was dropped. */
  private void isUsed(StockCoordinator coordinator, boolean used) {
    if (used) {
      coordinators.putIfAbsent(coordinator.name, coordinator);
    } else {
      coordinators.remove(coordinator.name, coordinator);
    }
  }

  /** Ends drains after their present batch; fails callers without an answer. */
  @Override
  public void close() {
    store.stop();
    List.copyOf(coordinators.values()).forEach(StockCoordinator::close);
    coordinators.clear();
    store.close();
  }
}
