package dev.sluice.lock;

import dev.sluice.SluiceException;

/**
 * The name has another number of permits than the caller passed, or is a read-write lock instead of
 * a semaphore. The first use of a name sets its number, which is forgotten a minute after the last
 * use. Nothing was taken.
 *
 * @since 0.1
 */
public final class WrongCapacityException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final int settled;
  private final int asked;

  /**
   * Creates an exception that names both numbers.
   *
   * @param name the name as it stands in a message, in quotes
   * @param settled how many permits it has
   * @param asked how many the caller passed
   */
  public WrongCapacityException(String name, int settled, int asked) {
    super(
        name + " is " + what(settled) + ", not " + what(asked) + "; " + remedy(settled, asked),
        null);
    this.name = name;
    this.settled = settled;
    this.asked = asked;
  }

  /** {@return a copy of this exception with the stack trace of the calling thread} */
  public WrongCapacityException again() {
    return new WrongCapacityException(name, settled, asked);
  }

  private static String what(int capacity) {
    return capacity == PermitInfo.READ_WRITE_UNITS
        ? "a read-write lock"
        : "a semaphore of " + capacity + (capacity == 1 ? " permit" : " permits");
  }

  private static String remedy(int settled, int asked) {
    return settled == PermitInfo.READ_WRITE_UNITS || asked == PermitInfo.READ_WRITE_UNITS
        ? "use another name"
        : "use that number, or call resize";
  }

  /** {@return the number of permits that the name has} */
  public int settled() {
    return settled;
  }
}
