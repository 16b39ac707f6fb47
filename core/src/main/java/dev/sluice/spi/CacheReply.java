package dev.sluice.spi;

/**
 * The store's reply to a {@link CacheRequest}.
 *
 * @since 0.1
 */
public sealed interface CacheReply {

  /**
   * There is a fresh value; no lease was given.
   *
   * @param entry the value
   */
  record Hit(CacheEntry entry) implements CacheReply {}

  /** The attempt holds the fill lease: load the value and fill it in. */
  record Granted() implements CacheReply {}

  /**
   * Another attempt loads.
   *
   * @param leftMicros when its lease ends at the latest, in microseconds from now
   */
  record Busy(long leftMicros) implements CacheReply {}

  /**
   * A write is under way: load the value past the cache.
   *
   * @param leftMicros when the last intent ends at the latest, in microseconds from now
   */
  record Intended(long leftMicros) implements CacheReply {}
}
