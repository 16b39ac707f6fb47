package dev.sluice.testkit;

/**
 * The check at the resource, in memory: remembers the highest token that it saw and refuses a lower
 * one. Not safe for use by several threads: that is for the lock to see to.
 */
public final class TokenGuard {
  private long highest;
  private long accesses;

  /** Has seen no token. */
  public TokenGuard() {}

  /**
   * The first access of a section.
   *
   * @param token the token of the section's lease
   * @throws AssertionError if the token was seen before or a higher one was
   */
  public void advance(long token) {
    if (token <= highest) {
      throw new AssertionError("token " + token + " came after " + highest);
    }
    highest = token;
    accesses++;
  }

  /**
   * A further access.
   *
   * @param token the token of the section's lease
   * @return false if a later holder was here
   */
  public boolean admits(long token) {
    return token >= highest;
  }

  /** {@return how many sections there were} */
  public long accesses() {
    return accesses;
  }
}
