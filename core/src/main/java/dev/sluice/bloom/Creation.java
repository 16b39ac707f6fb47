package dev.sluice.bloom;

/**
 * The result of {@link BloomFilter#create}.
 *
 * @since 0.1
 */
public enum Creation {
  /** There was no filter. The new one is empty, and the caller that created it fills it. */
  CREATED,
  /** It is there, of this size. */
  EXISTS,
  /** It is there, of another size, which holds: this object works with that one. */
  EXISTS_WITH_OTHER_SPEC
}
