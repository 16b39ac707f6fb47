package dev.sluice.spi;

/**
 * The store's reply to a {@link CacheRequest}.
 *
 * @since 0.1
 */
public sealed interface CacheReply {

  /**
   * A fresh value exists; no lease was granted.
   *
   * @param entry the value
   */
  record Hit(CacheEntry entry) implements CacheReply {}

  /** The attempt holds the fill lease: load the value and fill it in. */
  record Granted() implements CacheReply {}

  /**
   * Another attempt loads the value.
   *
   * @param leftMicros when its lease ends at the latest, in microseconds from now
   */
  record Busy(long leftMicros) implements CacheReply {}

  /**
   * A write is under way, so the caller loads the value without caching it.
   *
   * @param leftMicros when the last intent ends at the latest, in microseconds from now
   */
  record Intended(long leftMicros) implements CacheReply {}
}
