package dev.sluice.redis.doctor;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A part of Sluice that has keys at a server, and the effect of their loss. The tables in
 * docs/redis.md say the same for each policy and each kind of persistence.
 */
enum StoredPart {
  LOCKS(
      "locks",
      Set.of("lock", "queue", "tickets", "over", "vote", "waiting", "ended"),
      "a held lock is free for the next caller",
      "two clients may hold one lock until the first lease ends"),
  SEMAPHORES(
      "semaphores and read-write locks",
      Set.of("permits", "permit-queue", "permit-tickets", "permit-over"),
      "permits in use are granted again",
      "permits in use may be granted again until their leases end"),
  LATCHES(
      "latches",
      Set.of("latch", "latchers"),
      "waiters get MissingDataException",
      "count-downs may be lost, or waiters get MissingDataException"),
  GUARDS(
      "guards",
      Set.of("guard"),
      "tokens that were refused pass again",
      "tokens that were refused may pass again"),
  LIMITS(
      "limits",
      Set.of("limit", "q", "turns", "throttle"),
      "counts start again: an extra burst per key",
      "counts start again: at most one extra burst per key"),
  CACHES(
      "caches",
      Set.of("c", "g", "log"),
      "an evicted value costs a load",
      "an invalidation may be lost: old values stay until their TTL"),
  CACHE_TAGS(
      "cache tags",
      Set.of("tags"),
      "an evicted tag brings back the values that it dropped",
      "a lost tag brings back the values that it dropped"),
  BLOOM(
      "Bloom filters",
      Set.of("bloom"),
      "lookups return \"maybe\", and add throws MissingDataException until a rebuild",
      "elements may be missing: rebuild the filter"),
  STOCK(
      "stock",
      Set.of("stock", "claims", "due", "drain", "aside"),
      "stock and claims contradict each other: reconcile",
      "claims that were answered may be gone: reconcile");

  private final String words;
  private final Set<String> kinds;
  private final String evicted;
  private final String forgotten;

  StoredPart(String words, Set<String> kinds, String evicted, String forgotten) {
    this.words = words;
    this.kinds = kinds;
    this.evicted = evicted;
    this.forgotten = forgotten;
  }

  /** The part of keys of this {@link KeyReport#kind}; null if there is none. */
  static @Nullable StoredPart of(String kind) {
    for (StoredPart part : values()) {
      if (part.kinds.contains(kind)) {
        return part;
      }
    }
    return null;
  }

  /** The effect of eviction, under a policy other than {@code noeviction}. */
  String evictedBy(String policy) {
    boolean kept = policy.startsWith("volatile-") && (this == BLOOM || this == STOCK);
    return words + ": " + (kept ? "keys without an expiry are not evicted" : evicted);
  }

  /** The effect of a restart that loses the last writes, or all of them. */
  String forgotten() {
    return words + ": " + forgotten;
  }
}
