package dev.sluice.cache;

import dev.sluice.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * A cache has no value for a key, and a load did not bring one in time. Either the load took longer
 * than {@code hardTimeout}; it goes on and may still fill the cache. Or the store is unreachable,
 * no stale value is available, and the {@code fallback} limit of loads is spent; the cause is the
 * failure of the store. An exception that the loader threw reaches the caller unchanged, never as
 * this type.
 *
 * @since 0.1
 */
public final class CacheLoadException extends SluiceException {
  private static final long serialVersionUID = 1L;

  CacheLoadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
