package dev.sluice.state.grant;

/**
 * Attempts up to this one have ended.
 *
 * @param client whose
 * @param attempt the last of them
 * @param at when it ended, the store's clock, microseconds since the epoch
 */
public record Tombstone(String client, long attempt, long at) {}
