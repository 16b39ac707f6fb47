package dev.sluice.redis.keys;

import dev.sluice.spi.BloomPart;
import dev.sluice.text.Names;
import java.util.List;

/** The keys of Bloom filters. A partition and what is built beside it share a hash tag. */
public final class BloomKeys {
  private final String open;
  private final RecentKeys<BloomPart, CallKeys> known = new RecentKeys<>(this::prepare);

  public BloomKeys(KeySpace space) {
    this.open = space.open();
  }

  public CallKeys of(BloomPart part) {
    return known.of(part);
  }

  private CallKeys prepare(BloomPart part) {
    String key = key(part.filter(), part.partition());
    return new CallKeys(part.filter(), List.of(part.next() ? key + ":next" : key));
  }

  /** The generation in use and the next one. */
  public CallKeys both(String filter, long partition) {
    String key = key(filter, partition);
    return new CallKeys(filter, List.of(key, key + ":next"));
  }

  /** A string, and room for bytes on their way into it. */
  public CallKeys merging(BloomPart part) {
    String key = key(part.filter(), part.partition());
    return new CallKeys(part.filter(), List.of(key, key + ":a", key + ":b"));
  }

  /** The last colon ends the name. */
  private String key(String filter, long partition) {
    return open + Names.encode(filter) + ":" + partition + "}:bloom";
  }
}
