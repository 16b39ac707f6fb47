package dev.sluice.guard;

import dev.sluice.SluiceException;
import dev.sluice.text.Names;

/**
 * A resource refused an access, because a later holder of the lock has already used it. Nothing was
 * written. What this section has read may be old: give up, or acquire the lock again and start
 * over.
 *
 * @since 0.1
 */
public final class StaleTokenException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final String resource;
  private final FencingToken refused;
  private final FencingToken highest;

  /**
   * Names both tokens.
   *
   * @param resource what was to be accessed
   * @param refused the token that was shown
   * @param highest the highest one that the resource has seen
   */
  public StaleTokenException(String resource, FencingToken refused, FencingToken highest) {
    super(message(resource, refused, highest), null);
    this.resource = resource;
    this.refused = refused;
    this.highest = highest;
  }

  private static String message(String resource, FencingToken refused, FencingToken highest) {
    String after =
        refused.value() == highest.value()
            ? ": another attempt (" + highest.attempt() + ") has used the same token"
            : ": it has seen token " + highest.value() + " (attempt " + highest.attempt() + ")";
    return "resource "
        + Names.quoted(resource)
        + " refused token "
        + refused.value()
        + " (attempt "
        + refused.attempt()
        + ")"
        + after;
  }

  /** {@return the resource of the refused access} */
  public String resource() {
    return resource;
  }

  /** {@return the token that was shown} */
  public FencingToken refused() {
    return refused;
  }

  /**
   * {@return the highest token that the resource has seen; its attempt is {@code -} where a table
   * keeps none}
   */
  public FencingToken highest() {
    return highest;
  }
}
