package dev.sluice.spi;

/**
 * The reply of a leaky queue. Times in microseconds.
 *
 * @param admitted whether the caller has a place, or passes immediately
 * @param delay time until the caller's turn; for a refused caller, time until a place or an early
 *     enough turn is to be had
 * @param waiting callers in the queue now
 * @param drain time until the queue is empty
 * @param clockSteps 1 if the stored time was ahead of the clock
 * @since 0.1
 */
public record QueueReply(boolean admitted, long delay, int waiting, long drain, int clockSteps) {}
