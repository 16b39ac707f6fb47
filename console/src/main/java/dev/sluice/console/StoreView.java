package dev.sluice.console;

import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.Funnel;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the store itself knows, asked now. Blocks for its answers. */
final class StoreView {
  /** Most names of a list. */
  static final int MOST = 200;

  private static final int MOST_IN_LINE = 20;
  private static final int MOST_FILTERS = 50;

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

  private final Sluice sluice;

  StoreView(Sluice sluice) {
    this.sluice = sluice;
  }

  Found<LockInfo> locks() {
    List<String> names = sluice.lockNames(MOST + 1);
    return new Found<>(
        sluice.lockInfos(names.stream().sorted().limit(MOST).toList()), names.size() > MOST);
  }

  /** Null if the store has none. */
  @Nullable Found<PermitInfo> permits() {
    try {
      List<String> names = sluice.permitNames(MOST + 1);
      return new Found<>(
          sluice.permitInfos(names.stream().sorted().limit(MOST).toList()), names.size() > MOST);
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
        System.getLogger("dev.sluice.console").log(System.Logger.Level.DEBUG, "filter " + name, e);
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
