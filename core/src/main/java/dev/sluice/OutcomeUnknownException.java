package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * A reply never came, so nobody can say whether the store carried the call out. It is not a
 * refusal. Sluice undoes the possible effect in the background: an acquire that ends so is never
 * counted as held, and if the store did grant it, the grant is given back as soon as the store
 * answers again, or ends with its TTL at the latest.
 */
public final class OutcomeUnknownException extends BackendException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which store, which call, how long
   * @param cause the driver's failure, or null
   */
  public OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
