package dev.sluice.redis;

import dev.sluice.spi.Names;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of one lock, which share a hash tag so that they live on one node of a cluster. */
final class LockKeys {
  /** How many keys every script takes. */
  static final int COUNT = 4;

  static final String PREFIX = "sl:{";
  static final String LOCK_SUFFIX = "}:lock";

  private static final String[] SUFFIXES = {LOCK_SUFFIX, "}:queue", "}:tickets", "}:over"};
  private static final int MANY = 10_000;

  private final String name;
  private final String encoded;

  /** All four, as words of a command. */
  final byte[] words;

  private LockKeys(String name) {
    this.name = name;
    this.encoded = Names.encode(name);
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= COUNT; i++) {
      all.append(Wire.bulk(key(i)));
    }
    this.words = Wire.bytes(all.toString());
  }

  String name() {
    return name;
  }

  /**
   * The key as people see it.
   *
   * @param index as in KEYS, from 1
   */
  String key(int index) {
    return PREFIX + encoded + SUFFIXES[index - 1];
  }

  /** Keys of the names in use; making them costs more than the rest of a request. */
  static final class Cache {
    private final ConcurrentHashMap<String, LockKeys> known = new ConcurrentHashMap<>();

    LockKeys of(String name) {
      LockKeys keys = known.get(name);
      if (keys == null) {
        if (known.size() >= MANY) {
          known.clear();
        }
        keys = new LockKeys(name);
        known.put(name, keys);
      }
      return keys;
    }
  }
}
