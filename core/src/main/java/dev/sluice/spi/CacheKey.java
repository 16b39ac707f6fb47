package dev.sluice.spi;

import dev.sluice.text.Names;

/**
 * The address of an entry: a cache and a key in it.
 *
 * @param cache name of the cache, checked
 * @param key the key in it, checked as names are
 * @since 0.1
 */
public record CacheKey(String cache, String key) {

  @Override
  public String toString() {
    return Names.quoted(key) + " of cache " + Names.quoted(cache);
  }
}
