package dev.sluice.inventory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How claims are drained.
 *
 * @param batch most claims at once, 1 to 10,000
 * @param takeOver claims of a consumer that gave no answer for this long are given to another, 1 s
 *     to 1 hour. Longer than the handler ever takes
 * @param attempts after how many failures alone a claim is set aside, 1 to 100; only if another
 *     claim could be written meanwhile, else it is the ledger that is out of order, and the claim
 *     is tried until it can be written
 */
public record DrainOptions(int batch, Duration takeOver, int attempts) {

  /** Checks the options. */
  public DrainOptions {
    requireNonNull(takeOver, "takeOver must not be null");
    if (batch < 1 || batch > 10_000) {
      throw new IllegalArgumentException("batch must be 1 to 10,000: " + batch);
    }
    if (takeOver.compareTo(Duration.ofSeconds(1)) < 0
        || takeOver.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException("takeOver must be 1 s to 1 hour: " + takeOver);
    }
    if (attempts < 1 || attempts > 100) {
      throw new IllegalArgumentException("attempts must be 1 to 100: " + attempts);
    }
  }

  /** {@return 500 claims at once, taken over after 30 s, set aside after 5 failures} */
  public static DrainOptions defaults() {
    return new DrainOptions(500, Duration.ofSeconds(30), 5);
  }

  /**
   * The same with another size.
   *
   * @param batch most claims at once, 1 to 10,000
   * @return the options
   */
  public DrainOptions withBatch(int batch) {
    return new DrainOptions(batch, takeOver, attempts);
  }

  /**
   * The same with another time.
   *
   * @param takeOver after which claims go to another consumer, 1 s to 1 hour
   * @return the options
   */
  public DrainOptions withTakeOver(Duration takeOver) {
    return new DrainOptions(batch, takeOver, attempts);
  }

  /**
   * The same with another number.
   *
   * @param attempts after which a claim is set aside, 1 to 100
   * @return the options
   */
  public DrainOptions withAttempts(int attempts) {
    return new DrainOptions(batch, takeOver, attempts);
  }
}
