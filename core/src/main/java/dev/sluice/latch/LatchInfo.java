package dev.sluice.latch;

/**
 * A snapshot of a latch.
 *
 * @param name the latch
 * @param count what is left to count; 0 for a latch that is open or was never set
 * @param round which setting of the count this is: grows with each one; 0 if the store knows none
 * @since 0.1
 */
public record LatchInfo(String name, long count, long round) {

  /** {@return whether a wait would end immediately} */
  public boolean isOpen() {
    return count == 0;
  }
}
