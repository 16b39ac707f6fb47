package dev.sluice.lock;

import java.time.Duration;
import java.time.Instant;

/**
 * Who leads, as the store sees it.
 *
 * @param client random id of the process, see {@link dev.sluice.Sluice#clientId()}
 * @param token first fencing token of its grant
 * @param since when it was elected, by the store's clock
 * @param remaining time left by the store's clock, unless it renews
 */
public record Leader(String client, long token, Instant since, Duration remaining) {}
