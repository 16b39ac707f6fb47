package dev.sluice.bloom;

/**
 * The result of {@link BloomFilter#create}.
 *
 * @since 0.1
 */
public enum Creation {
  /** The filter was created. The new one is empty, and the caller that created it fills it. */
  CREATED,
  /** The filter exists with this size. */
  EXISTS,
  /** The filter exists with another size, which this object now uses. */
  EXISTS_WITH_OTHER_SPEC
}
