package dev.sluice.spi;

import java.util.List;

/**
 * One decision requested from a store.
 *
 * @param verb what to do
 * @param limiter name of the limiter
 * @param key whose permits
 * @param rules the tiers, at least one
 * @param cost permits of one call, 0 or more
 * @param times calls of this cost that are decided together, as many as pass; at least 1
 * @param maxWaitMicros for a single call: take a place that is free within this time
 * @param takenAtMicros for {@link Verb#GIVE_BACK} of permits that were taken in advance: {@link
 *     LimitReply#at} of their taking, so that a count which never had them takes none back; else 0
 * @since 0.1
 */
public record LimitRequest(
    Verb verb,
    String limiter,
    String key,
    List<LimitRule> rules,
    long cost,
    int times,
    long maxWaitMicros,
    long takenAtMicros) {

  /** The operation; its code is passed to scripts. */
  public enum Verb {
    /** Take permits, now or at a later time. */
    TAKE,
    /** Returns the decision without taking permits. */
    PEEK,
    /** Return taken permits. */
    GIVE_BACK,
    /** Take permits now for a use that is settled later; the count records its start. */
    BEGIN
  }
}
