package dev.sluice.spi;

/**
 * The store's data about a latch.
 *
 * @param count what is left to count, 0 when open or unknown
 * @param round which setting of the count this is: grows with each, 0 when the store knows none
 * @param opened the highest round that was counted down to zero, 0 when the store knows none
 * @since 0.1
 */
public record LatchReply(long count, long round, long opened) {}
