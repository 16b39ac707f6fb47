package dev.sluice.cache;

import dev.sluice.SluiceException;

/**
 * The store is away, nothing stale is at hand, and the database gets no more loads than the
 * fallback limit lets through.
 */
public final class LoadRejectedException extends SluiceException {
  private static final long serialVersionUID = 1L;

  LoadRejectedException(String message, Throwable cause) {
    super(message, cause);
  }
}
