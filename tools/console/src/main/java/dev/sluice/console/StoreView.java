package dev.sluice.console;

import dev.sluice.Finding;
import dev.sluice.ForeignDataException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.InventoryFigures;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleReply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What the store itself knows, asked now. Blocks for its answers. */
final class StoreView {
  /** Most names of a list. */
  static final int MOST = 200;

  private static final int MOST_IN_LINE = 20;
  private static final int MOST_FILTERS = 50;
  private static final long NAMES_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * Names that were found, and whether there are more.
   *
   * @param <T> what is known of each
   */
  record Found<T>(List<T> list, boolean more) {
    Found {
      list = List.copyOf(list);
    }
  }

  /** A stock and its figures. */
  record Stock(String name, InventoryFigures figures) {}

  /**
   * Names of one kind. To find them, a store may have to walk through all of its keys; so it is
   * asked so seldom that this takes a twentieth of its time at most. The shorter of the last two
   * walks counts: a process that stood still for a moment has not become a slow store.
   */
  static final class Names {
    private final IntFunction<List<String>> ask;
    private final LongSupplier nanos;
    private Found<String> known = new Found<>(List.of(), false);
    private long due;
    private long lastCost;

    Names(IntFunction<List<String>> ask, LongSupplier nanos) {
      this.ask = ask;
      this.nanos = nanos;
      this.due = nanos.getAsLong();
    }

    Found<String> now() {
      long start = nanos.getAsLong();
      if (start - due >= 0) {
        List<String> names = ask.apply(MOST + 1);
        known = new Found<>(names.stream().sorted().limit(MOST).toList(), names.size() > MOST);
        long end = nanos.getAsLong();
        long cost = end - start;
        due = end + Math.max(NAMES_NANOS, 20 * Math.min(cost, lastCost));
        lastCost = cost;
      }
      return known;
    }

    /**
     * Asks about all of them at once. Those whose data are not ours are left out until names are
     * looked for again: one of them hides no other.
     */
    <T> Found<T> ask(Function<List<String>, List<T>> about) {
      Found<String> names = now();
      try {
        return new Found<>(about.apply(names.list()), names.more());
      } catch (ForeignDataException e) {
        List<String> ours = new ArrayList<>();
        List<T> found = new ArrayList<>();
        for (String name : names.list()) {
          try {
            found.addAll(about.apply(List.of(name)));
            ours.add(name);
          } catch (ForeignDataException foreign) {
            LOG.log(System.Logger.Level.DEBUG, "left out", foreign);
          }
        }
        known = new Found<>(ours, names.more());
        return new Found<>(found, names.more());
      }
    }
  }

  private static final System.Logger LOG = System.getLogger("dev.sluice.console");

  private final Sluice sluice;
  private final @Nullable InventoryBackend inventories;
  private final Names lockNames;
  private final Names permitNames;
  private final Names stockNames;

  /** Not safe for use by many threads, but for filters. */
  StoreView(Sluice sluice, ClientParts parts) {
    this.sluice = sluice;
    this.inventories = inventories(parts);
    this.lockNames = new Names(sluice::lockNames, System::nanoTime);
    this.permitNames = new Names(sluice::permitNames, System::nanoTime);
    this.stockNames = new Names(this::stockNames, System::nanoTime);
  }

  private static @Nullable InventoryBackend inventories(ClientParts parts) {
    try {
      return parts.backend().inventories();
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  Found<LockInfo> locks() {
    return lockNames.ask(sluice::lockInfos);
  }

  private List<String> stockNames(int limit) {
    return inventories == null ? List.of() : answer(inventories.names(limit));
  }

  /** Asked past the client: all at once, and without using a stock as those do who sell it. */
  Found<Stock> stocks() {
    InventoryBackend asked = inventories;
    return asked == null
        ? new Found<>(List.of(), false)
        : stockNames.ask(names -> stocks(asked, names));
  }

  private static List<Stock> stocks(InventoryBackend asked, List<String> names) {
    Map<String, CompletionStage<SaleReply>> looks = new LinkedHashMap<>();
    names.forEach(name -> looks.put(name, asked.look(name)));
    List<Stock> stocks = new ArrayList<>();
    looks.forEach((name, look) -> stocks.add(new Stock(name, answer(look).figures())));
    return stocks;
  }

  boolean hasStocks() {
    return inventories != null;
  }

  static <T> T answer(CompletionStage<T> asked) {
    try {
      return asked.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SluiceException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** Null if the store has none. */
  @Nullable Found<PermitInfo> permits() {
    try {
      return permitNames.ask(sluice::permitInfos);
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  /** What the store knows of filters; a filter that fails is left out. */
  Found<BloomInfo> filters(Collection<String> names) {
    List<BloomInfo> filters = new ArrayList<>();
    for (String name : names.stream().limit(MOST_FILTERS).toList()) {
      try {
        Optional<BloomInfo> info = sluice.bloomFilter(name, Funnel.utf8()).info();
        info.ifPresent(filters::add);
      } catch (SluiceException | UnsupportedOperationException e) {
        LOG.log(System.Logger.Level.DEBUG, "filter " + name, e);
      }
    }
    return new Found<>(filters, names.size() > MOST_FILTERS);
  }

  // ---- as JSON ----

  static Map<String, Object> json(LockInfo lock, Fleet fleet) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", lock.name());
    row.put("held", lock.holder().isPresent());
    lock.holder()
        .ifPresent(
            holder -> {
              row.put("client", holder.client());
              row.put("process", name(fleet, holder.client()));
              row.put("attempt", holder.attempt());
              row.put("token", holder.token());
              row.put("since", holder.since().toEpochMilli());
              row.put("remaining", holder.remaining().toMillis());
            });
    row.put("lastToken", lock.lastToken());
    row.put("waiting", lock.waiters().size());
    row.put(
        "line",
        lock.waiters().stream()
            .limit(MOST_IN_LINE)
            .map(waiter -> waiter(waiter.client(), waiter.attempt(), 0, fleet))
            .toList());
    row.put("losses", fleet.losses(lock.name()));
    return row;
  }

  static Map<String, Object> json(PermitInfo permits, Fleet fleet) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", permits.name());
    row.put("readWrite", permits.isReadWrite());
    row.put("capacity", permits.capacity());
    row.put("available", permits.available());
    row.put("holding", permits.holders().size());
    row.put(
        "holders",
        permits.holders().stream()
            .limit(MOST_IN_LINE)
            .map(
                holder -> {
                  Map<String, Object> each = new LinkedHashMap<>();
                  each.put("client", holder.client());
                  each.put("process", name(fleet, holder.client()));
                  each.put("permits", holder.permits());
                  each.put("token", holder.token());
                  each.put("since", holder.since().toEpochMilli());
                  each.put("remaining", holder.remaining().toMillis());
                  return each;
                })
            .toList());
    row.put("waiting", permits.waiters().size());
    row.put(
        "line",
        permits.waiters().stream()
            .limit(MOST_IN_LINE)
            .map(waiter -> waiter(waiter.client(), waiter.attempt(), waiter.permits(), fleet))
            .toList());
    return row;
  }

  private static Map<String, Object> waiter(String client, long attempt, int permits, Fleet fleet) {
    Map<String, Object> each = new LinkedHashMap<>();
    each.put("client", client);
    each.put("process", name(fleet, client));
    each.put("attempt", attempt);
    each.put("permits", permits);
    return each;
  }

  private static String name(Fleet fleet, String client) {
    String name = fleet.nameOf(client);
    return name == null ? "" : name;
  }

  static Map<String, Object> json(BloomInfo filter) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", filter.name());
    row.put("expected", filter.expectedInsertions());
    row.put("count", filter.approximateCount());
    row.put("fill", filter.fill());
    row.put("wantedRate", filter.falsePositiveRate());
    row.put("rate", filter.currentFalsePositiveRate());
    row.put("hashes", filter.hashes());
    row.put("bits", filter.bitsPerPartition() * filter.partitions());
    row.put("partitions", filter.partitions());
    row.put("missing", filter.missingPartitions());
    row.put("generation", filter.generation());
    row.put("rebuilding", filter.rebuilding());
    row.put("ttl", filter.timeToLive().map(left -> left.toMillis()).orElse(-1L));
    return row;
  }

  static Map<String, Object> json(Stock stock) {
    InventoryFigures figures = stock.figures;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", stock.name);
    row.put("epoch", figures.epoch());
    row.put("open", figures.open());
    row.put("total", figures.total());
    row.put("left", figures.left());
    row.put("queued", figures.queued());
    row.put("held", figures.held());
    row.put("confirmed", figures.confirmed());
    row.put("setAside", figures.setAside());
    row.put("claims", figures.claims());
    row.put("returned", figures.returned());
    row.put("waiting", figures.waiting());
    row.put("lag", figures.lag().toMillis());
    return row;
  }

  static Map<String, Object> json(Finding finding) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
    row.put("id", finding.id());
    row.put("where", finding.where());
    row.put("what", finding.what());
    row.put("risk", finding.risk());
    row.put("fix", finding.fix());
    return row;
  }
}
