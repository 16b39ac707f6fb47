package dev.sluice.internal.lock;

import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The parts of a {@code GrantEngine}.
 *
 * @param describe the store, for messages
 * @param clientId 128 random bits as text
 * @param ticker monotonic clock
 * @param scheduler runs the one timer
 * @param random jitter
 * @param callbacks runs listeners and completions
 * @param rules arithmetic of leases
 * @param maxTtl longest lease
 */
public record GrantParts(
    String describe,
    String clientId,
    Ticker ticker,
    Scheduler scheduler,
    RandomGenerator random,
    Executor callbacks,
    LeaseRules rules,
    Duration maxTtl) {}
