package dev.sluice.lock;

import dev.sluice.SluiceException;

/**
 * The name has another number of permits than the caller says. The first who uses a name settles
 * its number; it is forgotten a minute after the last use.
 */
public final class WrongCapacityException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final int settled;
  private final int asked;

  /**
   * Nothing was taken.
   *
   * @param name the name as it stands in a message, in quotes
   * @param settled how many permits it has
   * @param asked how many the caller said
   */
  public WrongCapacityException(String name, int settled, int asked) {
    super(name + " is " + what(settled) + ", not " + what(asked), null);
    this.name = name;
    this.settled = settled;
    this.asked = asked;
  }

  /** {@return the same, with the trace of whoever calls this} */
  public WrongCapacityException again() {
    return new WrongCapacityException(name, settled, asked);
  }

  private static String what(int capacity) {
    return capacity == PermitInfo.READ_WRITE_UNITS
        ? "a read-write lock"
        : "a semaphore of " + capacity + (capacity == 1 ? " permit" : " permits");
  }

  /** {@return how many permits the name has} */
  public int settled() {
    return settled;
  }
}
