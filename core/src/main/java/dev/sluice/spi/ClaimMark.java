package dev.sluice.spi;

/**
 * Which claim is meant.
 *
 * @param claimant whose
 * @param id of the claim; of another than the claimant's last one nothing is known
 */
public record ClaimMark(String claimant, long id) {}
