package dev.sluice.inventory;

/**
 * A consumer of accepted claims that runs until it is closed. Any number of them, in any number of
 * processes, share the claims of a stock. Safe for use by many threads.
 *
 * @since 0.1
 */
public interface ClaimConsumer extends AutoCloseable {

  /** {@return the counts of this consumer since its start} No round trip. */
  DrainStats stats();

  /**
   * Waits for the batch that is being written, if any, and stops. Claims that were taken and not
   * written go to another consumer after {@link DrainOptions#takeOver}. Idempotent.
   */
  @Override
  void close();
}
