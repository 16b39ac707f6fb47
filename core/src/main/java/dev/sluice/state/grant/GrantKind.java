package dev.sluice.state.grant;

/** The kind of a name with units, and its rule for several attempts of a client. */
public enum GrantKind {
  /**
   * A lock: one unit. A client runs its attempts one after the other and has one grant at most, so
   * a newer attempt ends what an earlier one holds, and the end of an attempt is the end of all
   * before it.
   */
  LOCK("lock"),

  /**
   * A semaphore or a read-write lock, with the capacity of the first request. A client may have
   * several grants, so an attempt is compared exactly: the end of one says nothing of an earlier
   * one that was granted.
   */
  PERMIT("permit");

  private final String word;

  GrantKind(String word) {
    this.word = word;
  }

  /** {@return the name of the kind for stores and messages} */
  public String word() {
    return word;
  }
}
