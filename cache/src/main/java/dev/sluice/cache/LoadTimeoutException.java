package dev.sluice.cache;

import dev.sluice.SluiceException;

/** A load took longer than its hard timeout. It goes on, and may still fill the cache. */
public final class LoadTimeoutException extends SluiceException {
  private static final long serialVersionUID = 1L;

  LoadTimeoutException(String message) {
    super(message, null);
  }
}
