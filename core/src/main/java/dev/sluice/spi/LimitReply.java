package dev.sluice.spi;

/**
 * The store's decision. Times in microseconds.
 *
 * @param granted how many of the calls may go ahead, immediately or after the delay
 * @param delay time until the granted call may go ahead
 * @param tier place, from 0, of the tier that the next numbers are of: the one with the longest
 *     wait if a call was refused, else the one with the fewest permits left
 * @param limit most permits it admits at one moment
 * @param remaining permits that pass right now
 * @param retry if a call was refused: time until its cost could pass; else 0
 * @param reset time until nothing counts as spent
 * @param clockSteps tiers whose stored time was ahead of the clock
 * @param newerPolicy whether a tier was decided by a higher version than the caller's
 * @param at the store's clock, microseconds since the epoch; 0 while it is away
 * @since 0.1
 */
public record LimitReply(
    int granted,
    long delay,
    int tier,
    long limit,
    long remaining,
    long retry,
    long reset,
    int clockSteps,
    boolean newerPolicy,
    long at) {}
