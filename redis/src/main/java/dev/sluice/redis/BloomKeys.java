package dev.sluice.redis;

import dev.sluice.spi.BloomPart;
import dev.sluice.spi.Names;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of Bloom filters. A partition and what is built beside it share a hash tag. */
final class BloomKeys {
  private static final int MANY = 10_000;

  /** Of the strings in use: making a key costs more than the rest of a request. */
  private final ConcurrentHashMap<BloomPart, CallKeys> known = new ConcurrentHashMap<>();

  CallKeys of(BloomPart part) {
    CallKeys keys = known.get(part);
    if (keys == null) {
      if (known.size() >= MANY) {
        known.clear();
      }
      String key = key(part.filter(), part.partition());
      keys = new CallKeys(part.filter(), List.of(part.next() ? key + ":next" : key));
      known.put(part, keys);
    }
    return keys;
  }

  /** The one in use and the next one. */
  static CallKeys both(String filter, long partition) {
    String key = key(filter, partition);
    return new CallKeys(filter, List.of(key, key + ":next"));
  }

  /** A string, and room for bytes on their way into it. */
  static CallKeys merging(BloomPart part) {
    String key = key(part.filter(), part.partition());
    return new CallKeys(part.filter(), List.of(key, key + ":a", key + ":b"));
  }

  /** The last colon ends the name. */
  private static String key(String filter, long partition) {
    return "sl:{" + Names.encode(filter) + ":" + partition + "}:bloom";
  }
}
