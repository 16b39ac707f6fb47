package dev.sluice;

import dev.sluice.spi.ClientParts;
import java.util.function.Function;

/**
 * Adds primitives of other modules to a client, such as guarded caches. For authors of modules:
 * applications call the factory of the module, such as {@code GuardedCache.create}.
 *
 * <p>Asks nothing of the store. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class Extensions {
  private Extensions() {}

  /**
   * Returns the extension of a type, and makes it at the first call.
   *
   * @param client the client that it belongs to
   * @param type of the extension
   * @param maker makes it; called under a lock of the client, so it must not block
   * @param <T> type of the extension; closed with the client, before anything else is
   * @return the only one of its type in this client
   * @throws IllegalStateException if the client is closed
   */
  public static <T extends AutoCloseable> T of(
      Sluice client, Class<T> type, Function<ClientParts, T> maker) {
    return client.extension(type, maker);
  }
}
