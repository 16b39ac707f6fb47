package dev.sluice.internal.inventory;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.spi.ClientParts;
import dev.sluice.text.Names;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** One client's stocks over one backend. Safe for use by many threads. */
public final class InventoryEngine implements AutoCloseable {
  private final InventoryStore store;
  private final ConcurrentHashMap<String, InventoryCell> cells = new ConcurrentHashMap<>();

  /**
   * An engine without stocks yet.
   *
   * @param parts of the client
   */
  public InventoryEngine(ClientParts parts) {
    this.store = new InventoryStore(parts);
  }

  /**
   * A stock by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how it is used
   * @return the stock; any number of objects of one name mean the same stock
   */
  public Inventory inventory(String name, InventoryOptions options) {
    Names.check(name);
    return new ClientInventory(
        store, () -> cell(name), name, requireNonNull(options, "options must not be null"));
  }

  private InventoryCell cell(String name) {
    InventoryCell known = cells.get(name);
    InventoryCell cell =
        known == null
            ? cells.computeIfAbsent(name, n -> new InventoryCell(store, n, this::isUsed))
            : known;
    if (store.isClosed()) { // close() may have missed it
      cell.close();
      throw Failures.closed();
    }
    return cell;
  }

  /** A caller may still have a cell that was forgotten, and use it again. */
  private void isUsed(InventoryCell cell, boolean used) {
    if (used) {
      cells.putIfAbsent(cell.name, cell);
    } else {
      cells.remove(cell.name, cell);
    }
  }

  /** Drains end once what they write is written; callers without an answer fail. */
  @Override
  public void close() {
    store.stop();
    List.copyOf(cells.values()).forEach(InventoryCell::close);
    cells.clear();
    store.close();
  }
}
