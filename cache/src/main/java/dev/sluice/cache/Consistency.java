package dev.sluice.cache;

/**
 * The guarantee of a read after a write. docs/cache-consistency.md says which anomaly each closes.
 *
 * @since 0.1
 */
public enum Consistency {
  /**
   * No value that was read before an invalidation is stored after it. Copies in other processes
   * live on for at most the near tier's bound, expired values may be served where that was asked
   * for, and writes go on while the store is away.
   */
  EVENTUAL,

  /**
   * Once {@link GuardedCache#update} or {@link GuardedCache#invalidate} has returned, no read that
   * begins later returns an older value. No near tier, nothing stale, and no write while the store
   * does not answer.
   */
  STRONG
}
