package dev.sluice.state;

import dev.sluice.spi.SaleTerms;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of a stock without its claims.
 *
 * @param terms of the present sale as it was opened; null if there never was one
 * @param total units now
 * @param closed whether it was closed
 * @param lastId the highest id of a claim, of every sale
 * @param claims how many were accepted in this sale
 * @param returned how many of them are not live any more
 * @param waiting how many are queued
 * @param queued units of claims that are queued
 * @param held units of claims that are held
 * @param confirmed units of claims that are final
 * @param deadLetters units of dead letters
 */
public record SaleHeader(
    @Nullable SaleTerms terms,
    long total,
    boolean closed,
    long lastId,
    long claims,
    long returned,
    long waiting,
    long queued,
    long held,
    long confirmed,
    long deadLetters) {

  /** The header of a stock that was never loaded. */
  public static final SaleHeader NONE = new SaleHeader(null, 0, false, 0, 0, 0, 0, 0, 0, 0, 0);
}
