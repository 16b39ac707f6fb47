package dev.sluice.spi;

/**
 * One claim of a batch.
 *
 * @param claimant who asks, 1 to 512 bytes
 * @param quantity units, at least 1
 * @param requestId names this request, 1 to 128 bytes
 * @since 0.1
 */
public record ClaimRequest(String claimant, int quantity, String requestId) {}
