package dev.sluice.spi;

/**
 * The store's answer to a {@link PermitRequest}.
 *
 * @param decision as for a lock; the remaining time of {@link AcquireReply.Busy} and {@link
 *     AcquireReply.Queued} is that of the grant which ends first, zero when there is none
 * @param units how many units the grant has, zero unless granted
 */
public record PermitReply(AcquireReply decision, int units) {}
