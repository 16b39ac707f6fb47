package dev.sluice.spi;

/**
 * The stored terms of a sale.
 *
 * @param epoch which sale, at least 1
 * @param total units
 * @param holdMicros how long a claim waits to be confirmed; 0: it is final
 * @param drained whether accepted claims are queued
 * @param opensAt first moment, microseconds since the epoch
 * @param closesAt first moment after it
 * @since 0.1
 */
public record SaleTerms(
    long epoch, long total, long holdMicros, boolean drained, long opensAt, long closesAt) {}
