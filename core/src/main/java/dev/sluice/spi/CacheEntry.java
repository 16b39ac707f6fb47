package dev.sluice.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a cache in the store.
 *
 * @param bytes the value, or null for "known to be absent"; not copied, so not to be changed
 * @param leftMicros how long it stays fresh, in microseconds; zero or less if it is stale
 * @param tags what else drops it; whether something did is for the reader to ask
 * @param tagVersion the version of the tags from before the value was loaded
 * @since 0.1
 */
public record CacheEntry(
    byte @Nullable [] bytes, long leftMicros, List<String> tags, long tagVersion) {

  /** {@return whether it is fresh} */
  public boolean isFresh() {
    return leftMicros > 0;
  }
}
