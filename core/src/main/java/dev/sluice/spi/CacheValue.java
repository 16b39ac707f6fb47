package dev.sluice.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value that a fill stores.
 *
 * @param bytes the value, or null for "known to be absent"; not copied, so not to be changed
 * @param ttlMicros how long it is fresh, in microseconds from the step that stores it; if this and
 *     the next are 0, nothing is stored, and a fill only reports whether the lease was alive
 * @param staleMicros how long after that it is kept, to be served when nothing better is to be had
 * @param tags what else drops it; none is the rule
 * @param tagVersion what {@link CacheBackend#tagVersion} said before the value was loaded
 * @since 0.1
 */
public record CacheValue(
    byte @Nullable [] bytes, long ttlMicros, long staleMicros, List<String> tags, long tagVersion) {

  /** A value without tags. */
  public CacheValue(byte @Nullable [] bytes, long ttlMicros, long staleMicros) {
    this(bytes, ttlMicros, staleMicros, List.of(), 0);
  }
}
