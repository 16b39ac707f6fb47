package dev.sluice.spi;

import java.util.List;

/**
 * A page of a cache's log of invalidations.
 *
 * @param complete false if the place is not in the log any more: anything may have been missed
 * @param end the place to go on from
 * @param keys the keys, in order; {@link #ALL} stands for every key
 * @since 0.1
 */
public record CacheLog(boolean complete, String end, List<String> keys) {
  /** Matches every key; no key is empty. */
  public static final String ALL = "";
}
