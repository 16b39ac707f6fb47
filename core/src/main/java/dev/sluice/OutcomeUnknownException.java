package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * The store did not reply, so it is unknown whether it executed the call. This is not a refusal. An
 * acquire that throws it holds nothing: if the store did grant it, Sluice gives the grant back in
 * the background as soon as the store answers again, and the grant ends with its TTL at the latest.
 *
 * @since 0.1
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
