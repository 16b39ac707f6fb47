package dev.sluice.spi;

/**
 * A hint from the store to one client. Acting on it always asks the store again.
 *
 * @param kind what happened
 * @param name the lock
 * @since 0.1
 */
public record LockMessage(Kind kind, String name) {

  /** The event. */
  public enum Kind {
    /** The lock was reserved for the client's ticket: poll now. */
    GRANTED,
    /** Another client waits for the lock that this client holds. */
    WANTED,
    /** The grant of this client was ended by force: read its state from the store now. */
    TAKEN,
    /**
     * The state of this client's grant is unknown until the store answers again: poll it, and begin
     * nothing new meanwhile.
     */
    IN_DOUBT
  }
}
