package dev.sluice.spi;

/**
 * The constants of the lock protocol, the same on every backend. All times in microseconds.
 *
 * @since 0.1
 */
public final class LockProtocol {

  /** A ticket whose client has not polled for this long is dead: 1.5 s. */
  public static final long HEARTBEAT_MICROS = 1_500_000;

  /** The time for which a lock stays reserved for the ticket that it was handed to: 1 s. */
  public static final long CLAIM_MICROS = 1_000_000;

  /** The poll interval of a waiting client without messages: 500 ms. */
  public static final long POLL_MICROS = 500_000;

  /** The time for which the last token and ended attempts are kept after the last use: 60 s. */
  public static final long RETENTION_MICROS = 60_000_000;

  /**
   * The bound by which reserved tokens may exceed the store's clock: 100 ms. Blocks shrink to stay
   * below it; single tokens are always given. After a loss of the store's data, tokens still grow
   * if the store was away for longer than this lead plus backward clock steps.
   */
  public static final long MAX_LEAD_MICROS = 100_000;

  /** The most tokens in a block. */
  public static final int MAX_BLOCK = 1024;

  /** The most permits of a semaphore. */
  public static final int MAX_PERMITS = 1_000_000;

  /** The highest token: 2^53 - 1, the largest integer up to which a double is exact. */
  public static final long MAX_TOKEN = (1L << 53) - 1;

  private LockProtocol() {}
}
