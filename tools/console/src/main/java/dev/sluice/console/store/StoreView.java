package dev.sluice.console.store;

import dev.sluice.Finding;
import dev.sluice.ForeignDataException;
import dev.sluice.NamePage;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.Funnel;
import dev.sluice.console.fleet.Fleet;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.ClientParts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads the current state of the store. Blocks for its answers. */
final class StoreView {
  /** The most names of a list. */
  static final int MAX_COUNT = 10_000;

  private static final int AT_ONCE = 200;
  private static final int MAX_NEW_ROWS = 2_000;
  private static final int MAX_QUEUED_SHOWN = 20;
  private static final int MAX_FILTERS = 50;
  private static final long NAMES_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * The names found, and whether there are more.
   *
   * @param <T> what is known of each
   */
  record Found<T>(List<T> list, boolean more) {
    Found {
      list = List.copyOf(list);
    }
  }

  /** A stock and the store's data about it. */
  record Stock(String name, InventoryInfo info) {}

  /**
   * Names of one kind. To find them, a store may have to walk through all of its keys; so it is
   * asked so seldom that this takes a twentieth of its time at most. The shorter of the last two
   * walks counts: a process that stood still for a moment has not become a slow store.
   */
  static final class Names {
    private final IntFunction<NamePage> ask;
    private final LongSupplier nanos;
    private Found<String> known = new Found<>(List.of(), false);
    private long due;
    private long lastCost;

    Names(IntFunction<NamePage> ask, LongSupplier nanos) {
      this.ask = ask;
      this.nanos = nanos;
      this.due = nanos.getAsLong();
    }

    Found<String> now() {
      long start = nanos.getAsLong();
      if (start - due >= 0) {
        NamePage page = ask.apply(MAX_COUNT);
        known = new Found<>(page.names(), page.more());
        long end = nanos.getAsLong();
        long cost = end - start;
        due = end + Math.max(NAMES_NANOS, 20 * Math.min(cost, lastCost));
        lastCost = cost;
      }
      return known;
    }
  }

  /**
   * Reads many names in rotation. Those in demand are looked at each time, the others in turn, so
   * that a look costs about the same however many there are; new ones come first.
   *
   * @param <T> what is known of each
   */
  static final class Sweep<T> {
    private final Names names;
    private final Function<List<String>, List<T>> look;
    private final Function<T, String> name;
    private final ToIntFunction<T> priority;
    private final Map<String, T> known = new LinkedHashMap<>(); // seen longest ago first
    private final Set<String> foreign = new HashSet<>();
    private Found<String> listed = new Found<>(List.of(), false);

    Sweep(
        Names names,
        Function<List<String>, List<T>> look,
        Function<T, String> name,
        ToIntFunction<T> priority) {
      this.names = names;
      this.look = look;
      this.name = name;
      this.priority = priority;
    }

    Found<T> now() {
      Found<String> now = names.now();
      if (now != listed) {
        listed = now;
        foreign.clear();
        known.keySet().retainAll(new HashSet<>(now.list()));
      }
      List<String> due = new ArrayList<>(due());
      for (int i = 0; i < due.size(); i += AT_ONCE) {
        lookAt(due.subList(i, Math.min(due.size(), i + AT_ONCE)));
      }
      return new Found<>(new ArrayList<>(known.values()), listed.more());
    }

    private Set<String> due() {
      Set<String> due = new LinkedHashSet<>();
      listed.list().stream()
          .filter(each -> !known.containsKey(each) && !foreign.contains(each))
          .limit(MAX_NEW_ROWS)
          .forEach(due::add);
      known.values().stream()
          .filter(each -> priority.applyAsInt(each) > 0)
          .sorted(Comparator.comparingInt(priority).reversed())
          .limit(AT_ONCE)
          .forEach(each -> due.add(name.apply(each)));
      known.keySet().stream()
          .filter(each -> !due.contains(each))
          .limit(AT_ONCE)
          .toList()
          .forEach(due::add);
      return due;
    }

    /** Skips names whose data is foreign, so that one of them hides no other. */
    private void lookAt(List<String> some) {
      try {
        look.apply(some).forEach(this::keep);
      } catch (ForeignDataException e) {
        for (String each : some) {
          try {
            look.apply(List.of(each)).forEach(this::keep);
          } catch (ForeignDataException one) {
            LOG.log(System.Logger.Level.DEBUG, "left out", one);
            known.remove(each);
            foreign.add(each);
          }
        }
      }
    }

    private void keep(T seen) {
      known.remove(name.apply(seen)); // to the end of the line
      known.put(name.apply(seen), seen);
    }
  }

  private static final System.Logger LOG = System.getLogger("dev.sluice.console");

  private final Sluice sluice;
  private final Sweep<LockInfo> locks;
  private final Sweep<PermitInfo> permits;
  private final @Nullable Sweep<Stock> stocks;

  /** Not thread-safe, except for filters. */
  StoreView(Sluice sluice, ClientParts parts) {
    this.sluice = sluice;
    this.locks =
        new Sweep<>(
            new Names(sluice.inspect()::lockNames, System::nanoTime),
            sluice.inspect()::locks,
            LockInfo::name,
            lock -> 2 * lock.waiters().size() + (lock.holder().isPresent() ? 1 : 0));
    this.permits =
        new Sweep<>(
            new Names(sluice.inspect()::permitNames, System::nanoTime),
            sluice.inspect()::permits,
            PermitInfo::name,
            each -> 2 * each.waiters().size() + each.holders().size());
    this.stocks = hasInventories(parts) ? stocks(sluice) : null;
  }

  private static Sweep<Stock> stocks(Sluice sluice) {
    return new Sweep<>(
        new Names(sluice.inspect()::inventoryNames, System::nanoTime),
        names -> stocks(names, sluice.inspect().inventories(names)),
        Stock::name,
        stock -> stock.info().open() ? 1 : 0);
  }

  private static List<Stock> stocks(List<String> names, List<InventoryInfo> infos) {
    return IntStream.range(0, names.size())
        .mapToObj(i -> new Stock(names.get(i), infos.get(i)))
        .toList();
  }

  private static boolean hasInventories(ClientParts parts) {
    try {
      return parts.backend().inventories() != null;
    } catch (UnsupportedOperationException e) {
      return false;
    }
  }

  Found<LockInfo> locks() {
    return locks.now();
  }

  Found<Stock> stocks() {
    return stocks == null ? new Found<>(List.of(), false) : stocks.now();
  }

  boolean hasStocks() {
    return stocks != null;
  }

  /** Null if the store has no such part. */
  @Nullable Found<PermitInfo> permits() {
    try {
      return permits.now();
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  /** The store's data about filters; a filter that fails is left out. */
  Found<BloomInfo> filters(Collection<String> names) {
    List<BloomInfo> filters = new ArrayList<>();
    for (String name : names.stream().limit(MAX_FILTERS).toList()) {
      try {
        Optional<BloomInfo> info = sluice.bloomFilter(name, Funnel.utf8()).info();
        info.ifPresent(filters::add);
      } catch (SluiceException | UnsupportedOperationException e) {
        LOG.log(System.Logger.Level.DEBUG, "filter " + name, e);
      }
    }
    return new Found<>(filters, names.size() > MAX_FILTERS);
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
            .limit(MAX_QUEUED_SHOWN)
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
            .limit(MAX_QUEUED_SHOWN)
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
            .limit(MAX_QUEUED_SHOWN)
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
    InventoryInfo figures = stock.info;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", stock.name);
    row.put("epoch", figures.epoch());
    row.put("open", figures.open());
    row.put("total", figures.total());
    row.put("left", figures.left());
    row.put("queued", figures.queued());
    row.put("held", figures.held());
    row.put("confirmed", figures.confirmed());
    row.put("deadLetters", figures.deadLetters());
    row.put("claims", figures.claims());
    row.put("returned", figures.returned());
    row.put("waiting", figures.waiting());
    row.put("lag", figures.lag().toMillis());
    return row;
  }

  static Map<String, Object> json(Finding finding, Hints hints) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
    row.put("id", finding.id());
    row.put("where", finding.where());
    row.put("what", finding.what());
    row.put("risk", finding.risk());
    row.put("fix", finding.fix());
    hints.fix(finding).ifPresent(command -> row.put("command", command));
    return row;
  }
}
