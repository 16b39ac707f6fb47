package dev.sluice.spi;

/**
 * Identifies a claim.
 *
 * @param claimant whose
 * @param id of the claim; of another than the claimant's last one nothing is known
 * @since 0.1
 */
public record ClaimMark(String claimant, long id) {}
