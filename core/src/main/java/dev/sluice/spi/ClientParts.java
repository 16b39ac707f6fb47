package dev.sluice.spi;

import java.util.concurrent.Executor;

/**
 * Parts of a client for its extensions.
 *
 * @param backend the store
 * @param clientId names the client at the store
 * @param ticker monotonic clock
 * @param scheduler of the same clock
 * @param callbacks runs what may block
 * @since 0.1
 */
public record ClientParts(
    Backend backend, String clientId, Ticker ticker, Scheduler scheduler, Executor callbacks) {}
