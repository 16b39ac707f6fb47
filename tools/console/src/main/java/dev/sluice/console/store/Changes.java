package dev.sluice.console.store;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The difference between two snapshots of a page, which is short on the wire if few rows changed:
 * new or changed fields, the names of removed ones under {@code -}, the changed rows of lists with
 * named rows, and their order if it differs.
 */
final class Changes {
  private static final String GONE = "-";

  private Changes() {}

  static Map<String, Object> between(Map<?, ?> before, Map<?, ?> now) {
    Map<String, Object> changes = new LinkedHashMap<>();
    List<?> gone = before.keySet().stream().filter(key -> !now.containsKey(key)).toList();
    if (!gone.isEmpty()) {
      changes.put(GONE, gone);
    }
    now.forEach(
        (key, value) -> {
          Object old = before.get(key);
          if (!value.equals(old)) {
            changes.put(String.valueOf(key), change(old, value));
          }
        });
    return changes;
  }

  private static Object change(@Nullable Object before, Object now) {
    if (before instanceof Map<?, ?> old && now instanceof Map<?, ?> fresh) {
      return between(old, fresh);
    }
    if (before instanceof List<?> old && now instanceof List<?> fresh) {
      Map<String, Map<?, ?>> oldRows = byName(old);
      Map<String, Map<?, ?>> rows = byName(fresh);
      if (oldRows != null && rows != null) {
        return rows(oldRows, rows);
      }
    }
    return now;
  }

  private static Map<String, Object> rows(
      Map<String, Map<?, ?>> before, Map<String, Map<?, ?>> now) {
    Map<String, Object> changed = new LinkedHashMap<>();
    now.forEach(
        (name, row) -> {
          Map<?, ?> old = before.get(name);
          if (!row.equals(old)) {
            changed.put(name, old == null ? row : between(old, row));
          }
        });
    Map<String, Object> list = new LinkedHashMap<>();
    List<String> order = List.copyOf(now.keySet());
    if (!order.equals(List.copyOf(before.keySet()))) {
      list.put("order", order);
    }
    list.put("rows", changed);
    return list;
  }

  /** The rows by their names, or null if a name is missing or not unique. */
  private static @Nullable Map<String, Map<?, ?>> byName(List<?> list) {
    Map<String, Map<?, ?>> rows = new LinkedHashMap<>();
    for (Object each : list) {
      if (!(each instanceof Map<?, ?> row)
          || !(row.get("name") instanceof String name)
          || rows.put(name, row) != null) {
        return null;
      }
    }
    return rows;
  }
}
