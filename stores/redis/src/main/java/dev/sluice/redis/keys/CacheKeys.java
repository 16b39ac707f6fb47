package dev.sluice.redis.keys;

import dev.sluice.spi.CacheKey;
import dev.sluice.text.Names;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of guarded caches. Value and guard of one key of a cache share a hash tag. */
public final class CacheKeys {
  private static final String VALUE = "}:c";
  private static final String GUARD = "}:g";

  /**
   * The Redis keys that store one key of a cache.
   *
   * @param value the value alone
   * @param both value and guard
   */
  public record Pair(CallKeys value, CallKeys both) {}

  private final String open;
  private final RecentKeys<CacheKey, Pair> known = new RecentKeys<>(this::prepare);

  public CacheKeys(KeySpace space) {
    this.open = space.open();
  }

  public Pair of(CacheKey key) {
    return known.of(key);
  }

  private Pair prepare(CacheKey key) {
    String start = start(key);
    String value = start + VALUE;
    return new Pair(
        new CallKeys(key.toString(), List.of(value)),
        new CallKeys(key.toString(), List.of(value, start + GUARD)));
  }

  /**
   * The keys of the value, the guard, and a long string before it becomes the value.
   *
   * @param id of no other string
   */
  public CallKeys withParked(CacheKey key, String id) {
    String start = start(key);
    return new CallKeys(key.toString(), List.of(start + VALUE, start + GUARD, parked(start, id)));
  }

  public CallKeys parked(CacheKey key, String id) {
    return new CallKeys(key.toString(), List.of(parked(start(key), id)));
  }

  private static String parked(String start, String id) {
    return start + "}:new:" + id;
  }

  private String start(CacheKey key) {
    return open + owner(key.cache()) + ":" + Names.encode(key.key());
  }

  public CallKeys log(String cache) {
    return new CallKeys(cache, List.of(open + owner(cache) + "}:log"));
  }

  /** The version of a cache's tags. */
  public CallKeys version(String cache) {
    return new CallKeys(cache, List.of(versionKey(cache)));
  }

  /** The time at which a tag was last invalidated. */
  public CallKeys tag(String cache, String tag) {
    return new CallKeys(cache, List.of(tagKey(cache, tag)));
  }

  public CallKeys versionAndTag(String cache, String tag) {
    return new CallKeys(cache, List.of(versionKey(cache), tagKey(cache, tag)));
  }

  private String versionKey(String cache) {
    return open + owner(cache) + "}:tags";
  }

  private String tagKey(String cache, String tag) {
    return open + owner(cache) + "}:tag:" + Names.encode(tag);
  }

  /** Matches every value and every guard of a cache, as SCAN reads patterns. */
  public String pattern(String cache) {
    StringBuilder pattern = new StringBuilder(open);
    String owner = owner(cache);
    for (int i = 0; i < owner.length(); i++) {
      char c = owner.charAt(i);
      if ("*?[]^-\\".indexOf(c) >= 0) {
        pattern.append('\\');
      }
      pattern.append(c);
    }
    return pattern.append(":*}:[cg]").toString();
  }

  /** The cache key of a value or a guard; null for a foreign key. */
  @Nullable
  public CacheKey parseKey(String key) {
    boolean ours = key.startsWith(open) && (key.endsWith(VALUE) || key.endsWith(GUARD));
    return ours ? parse(key.substring(open.length(), key.length() - VALUE.length())) : null;
  }

  /** Parses {@code cache:key} as in keys and messages; null if it is malformed. */
  public static @Nullable CacheKey parse(String encoded) {
    int colon = encoded.indexOf(':');
    if (colon < 0) {
      return null;
    }
    try {
      return new CacheKey(
          Names.decode(encoded.substring(0, colon)), Names.decode(encoded.substring(colon + 1)));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The colon ends the cache's name. */
  private static String owner(String cache) {
    String encoded = Names.encode(cache);
    return encoded.indexOf(':') < 0 ? encoded : encoded.replace(":", "%3A");
  }
}
