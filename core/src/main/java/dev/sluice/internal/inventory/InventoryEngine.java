package dev.sluice.internal.inventory;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Agenda;
import dev.sluice.internal.call.Asking;
import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.Names;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One client's stocks over one backend. Safe for use by many threads. */
public final class InventoryEngine implements AutoCloseable {
  static final System.Logger LOG = System.getLogger("dev.sluice.inventory");

  final InventoryBackend backend;
  final Ticker ticker;
  final Scheduler scheduler;
  final Agenda agenda;
  final Executor callbacks;
  private final String clientId;
  private final ConcurrentHashMap<String, InventoryCell> cells = new ConcurrentHashMap<>();
  private final Set<CompletableFuture<?>> asked = ConcurrentHashMap.newKeySet();
  private final AtomicLong consumers = new AtomicLong();
  private volatile boolean closed;

  /**
   * An engine without stocks yet.
   *
   * @param parts of the client
   */
  public InventoryEngine(ClientParts parts) {
    this.backend = parts.backend().inventories();
    this.clientId = parts.clientId();
    this.ticker = parts.ticker();
    this.scheduler = parts.scheduler();
    this.agenda = new Agenda(parts.ticker(), parts.scheduler());
    this.callbacks = parts.callbacks();
  }

  /**
   * A stock by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how it is used
   * @return the stock; any number of objects of one name mean the same stock
   */
  public Inventory inventory(String name, InventoryOptions options) {
    return new ClientInventory(
        this, Names.check(name), requireNonNull(options, "options must not be null"));
  }

  /**
   * Names of stocks that the store knows.
   *
   * @param limit most names, at least 1
   * @return names, in no order
   */
  public List<String> names(int limit) {
    long timeoutNanos = InventoryOptions.defaults().timeout().toNanos();
    return Failures.await(ask(timeoutNanos, () -> backend.names(limit)), "stocks");
  }

  InventoryCell cell(String name) {
    InventoryCell known = cells.get(name);
    InventoryCell cell =
        known == null ? cells.computeIfAbsent(name, n -> new InventoryCell(this, n)) : known;
    if (closed) { // close() may have missed it
      cell.close();
      throw Failures.closed();
    }
    return cell;
  }

  /** One that was forgotten is used again by somebody who still had it. */
  void keep(InventoryCell cell) {
    cells.putIfAbsent(cell.name, cell);
  }

  void forget(InventoryCell cell) {
    cells.remove(cell.name, cell);
  }

  String newConsumer() {
    return clientId + "-" + consumers.incrementAndGet();
  }

  long jitter(long boundNanos) {
    return ThreadLocalRandom.current().nextLong(Math.max(1, boundNanos));
  }

  <T extends @Nullable Object> CompletableFuture<T> ask(
      long timeoutNanos, Supplier<CompletionStage<T>> verb) {
    if (closed) {
      throw Failures.closed();
    }
    CompletableFuture<T> answer = Asking.of(agenda, ticker, this::jitter, timeoutNanos, verb);
    if (!answer.isDone()) {
      asked.add(answer);
      answer.whenComplete((reply, failure) -> asked.remove(answer));
      if (closed) { // close() may have missed it
        answer.completeExceptionally(Failures.closed());
      }
    }
    return answer;
  }

  /** Drains end once what they write is written; those who wait for an answer fail. */
  @Override
  public void close() {
    closed = true;
    List.copyOf(cells.values()).forEach(InventoryCell::close);
    cells.clear();
    List.copyOf(asked).forEach(each -> each.completeExceptionally(Failures.closed()));
    agenda.close();
  }
}
