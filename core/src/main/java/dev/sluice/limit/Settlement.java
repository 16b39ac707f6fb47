package dev.sluice.limit;

/**
 * The result of a {@link Usage#settle settlement} or a {@link Usage#refund refund} of a use.
 *
 * @since 0.1
 */
public enum Settlement {
  /** The key now counts the actual cost of the use. */
  COUNTED,
  /** The use was settled or refunded before; nothing was changed. */
  REPEATED,
  /**
   * The use began longer ago than {@link RateLimiterOptions#settleWithin()}, so the estimate
   * remains.
   */
  LATE,
  /**
   * The outage policy allowed the use, or it was refused, so the store holds no estimate; nothing
   * was changed.
   */
  NOT_HELD
}
