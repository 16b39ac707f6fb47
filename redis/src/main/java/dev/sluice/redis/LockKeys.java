package dev.sluice.redis;

import dev.sluice.spi.Names;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys of locks, permits or stocks; those of one name share a hash tag so that they live on one
 * node.
 */
final class LockKeys {
  static final String PREFIX = "sl:{";
  static final String LOCK_SUFFIX = "}:lock";
  static final String PERMITS_SUFFIX = "}:permits";
  static final String STOCK_SUFFIX = "}:stock";

  private static final int MANY = 10_000;

  private final List<String> suffixes;

  /** Of the names in use: making keys costs more than the rest of a request. */
  private final ConcurrentHashMap<String, CallKeys> known = new ConcurrentHashMap<>();

  private LockKeys(String... suffixes) {
    this.suffixes = List.of(suffixes);
  }

  static LockKeys ofLocks() {
    return new LockKeys(LOCK_SUFFIX, "}:queue", "}:tickets", "}:over");
  }

  static LockKeys ofPermits() {
    return new LockKeys(PERMITS_SUFFIX, "}:line", "}:returned");
  }

  static LockKeys ofStocks() {
    return new LockKeys(STOCK_SUFFIX, "}:claims", "}:due", "}:drain", "}:aside");
  }

  CallKeys of(String name) {
    CallKeys keys = known.get(name);
    if (keys == null) {
      if (known.size() >= MANY) {
        known.clear();
      }
      String start = PREFIX + Names.encode(name);
      keys = new CallKeys(name, suffixes.stream().map(suffix -> start + suffix).toList());
      known.put(name, keys);
    }
    return keys;
  }
}
