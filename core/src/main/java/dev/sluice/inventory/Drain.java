package dev.sluice.inventory;

/**
 * A consumer of accepted claims that runs until it is closed. Any number of them, in any number of
 * processes, share the claims of a stock. Safe for use by many threads.
 */
public interface Drain extends AutoCloseable {

  /** {@return how many claims this consumer has had written} */
  long written();

  /** {@return how many claims this consumer has rejected or set aside} */
  long refused();

  /**
   * Waits for the batch that is being written, if any, and takes no more. What was taken and not
   * written goes to another consumer after {@link DrainOptions#takeOver}. Idempotent.
   */
  @Override
  void close();
}
