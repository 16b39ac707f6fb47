package dev.sluice.spi;

/**
 * The content of a filter's string at the time of a request.
 *
 * @param format first word of its header, see {@link BloomHeader}; 0: there is none
 * @param epoch generation in its header
 * @param full for each element, whether all its bits were set before
 * @since 0.1
 */
public record BloomReply(long format, long epoch, boolean[] full) {

  /** {@return whether a header of Sluice exists} */
  public boolean hasHeader() {
    return BloomHeader.isOurs(format);
  }

  /** {@return whether a new generation is being built} */
  public boolean rebuilding() {
    return BloomHeader.stateOf(format) == BloomHeader.State.REBUILDING;
  }
}
