package dev.sluice.inventory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a consumer of claims. An immutable value: each method returns a changed copy. Every
 * setting is checked when it is made: a value out of its range throws {@link
 * IllegalArgumentException}.
 *
 * @since 0.1
 */
public final class DrainOptions {
  private static final DrainOptions DEFAULTS =
      new DrainOptions(new Values(500, Duration.ofSeconds(30), 5));

  private final Values values;

  private DrainOptions(Values values) {
    this.values = values;
  }

  private record Values(int batch, Duration takeOver, int attempts) {
    Values {
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
  }

  /** {@return batches of 500 claims, taken over after 30 s, dead letters after 5 failures} */
  public static DrainOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Bounds the number of claims in one batch.
   *
   * @param batch 1 to 10,000 (default: 500)
   * @return changed options
   */
  public DrainOptions batch(int batch) {
    return new DrainOptions(new Values(batch, values.takeOver, values.attempts));
  }

  /**
   * Sets the time after which the claims of a silent consumer go to another one. It must be longer
   * than the handler ever takes.
   *
   * @param takeOver 1 s to 1 hour (default: 30 s)
   * @return changed options
   */
  public DrainOptions takeOver(Duration takeOver) {
    return new DrainOptions(new Values(values.batch, takeOver, values.attempts));
  }

  /**
   * Sets the number of separate failures after which a claim becomes a dead letter. That happens
   * only if another claim could be written meanwhile. Otherwise the ledger is out of order, and the
   * claim is tried until it can be written.
   *
   * @param attempts 1 to 100 (default: 5)
   * @return changed options
   */
  public DrainOptions attempts(int attempts) {
    return new DrainOptions(new Values(values.batch, values.takeOver, attempts));
  }

  /** {@return the most claims in one batch} */
  public int batch() {
    return values.batch;
  }

  /** {@return the time after which claims go to another consumer} */
  public Duration takeOver() {
    return values.takeOver;
  }

  /** {@return the number of separate failures after which a claim becomes a dead letter} */
  public int attempts() {
    return values.attempts;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DrainOptions options && values.equals(options.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "DrainOptions");
  }
}
