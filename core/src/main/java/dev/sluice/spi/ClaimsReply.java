package dev.sluice.spi;

import dev.sluice.inventory.ClaimResult;
import java.util.List;

/**
 * The reply to a batch of claims.
 *
 * @param results one for each request, in their order
 * @param epoch the present sale; 0 if there is none
 * @param left units that may be claimed after the last of them
 * @since 0.1
 */
public record ClaimsReply(List<ClaimResult> results, long epoch, long left) {}
