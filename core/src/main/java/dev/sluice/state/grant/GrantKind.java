package dev.sluice.state.grant;

/** The kind of a name with units, and the rule by which its clients run their attempts on it. */
public enum GrantKind {
  /**
   * A lock: one unit. A client runs its attempts one after the other and has one grant at most, so
   * a newer attempt ends what an earlier one holds, and the end of an attempt is the end of all
   * before it.
   */
  LOCK("lock"),

  /**
   * A semaphore or a read-write lock: as many units as the first request settles. A client may have
   * several grants, so an attempt is compared exactly: the end of one says nothing of an earlier
   * one that was granted.
   */
  PERMIT("permit");

  private final String word;

  GrantKind(String word) {
    this.word = word;
  }

  /** {@return the kind as stores and messages name it} */
  public String word() {
    return word;
  }
}
