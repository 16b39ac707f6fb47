package dev.sluice.lock;

import java.util.concurrent.CompletionStage;

/**
 * A {@link DistributedReadWriteLock} with answers as completion stages. Each side has its own view:
 * {@link LeaseLock#async()}. Safe for use by many threads; no method blocks.
 *
 * @since 0.1
 */
public interface AsyncReadWriteLock {

  /**
   * Reads the state as {@link DistributedReadWriteLock#info}.
   *
   * @return what the store knows; fails with {@link dev.sluice.BackendException} if the store did
   *     not answer
   */
  CompletionStage<PermitInfo> info();
}
