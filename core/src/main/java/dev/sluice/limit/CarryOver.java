package dev.sluice.limit;

/**
 * The treatment of permits that a key has already spent when the numbers of its limit change.
 * Raising a rate never makes a caller wait longer, with any of these values.
 *
 * @since 0.1
 */
public enum CarryOver {
  /** Keeps the spent permits: 7 of 10 become 7 of 20. */
  KEEP,
  /** Keeps the spent share: 5 of 10 become 10 of 20. */
  PROPORTIONAL,
  /** Counts nothing as spent. */
  RESET
}
