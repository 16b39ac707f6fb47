package dev.sluice.redis;

import dev.sluice.spi.Names;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of locks; those of one lock share a hash tag so that they live on one node. */
final class LockKeys {
  static final String PREFIX = "sl:{";
  static final String LOCK_SUFFIX = "}:lock";

  private static final List<String> SUFFIXES =
      List.of(LOCK_SUFFIX, "}:queue", "}:tickets", "}:over");
  private static final int MANY = 10_000;

  /** Of the names in use: making keys costs more than the rest of a request. */
  private final ConcurrentHashMap<String, CallKeys> known = new ConcurrentHashMap<>();

  CallKeys of(String name) {
    CallKeys keys = known.get(name);
    if (keys == null) {
      if (known.size() >= MANY) {
        known.clear();
      }
      String start = PREFIX + Names.encode(name);
      keys = new CallKeys(name, SUFFIXES.stream().map(suffix -> start + suffix).toList());
      known.put(name, keys);
    }
    return keys;
  }
}
