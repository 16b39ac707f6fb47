package dev.sluice.bench.scale.sim;

/**
 * The values at one size, measured or predicted.
 *
 * @param size clients, waiters
 * @param rate operations per second
 * @param p50 latency, microseconds
 * @param p99 latency, microseconds
 * @param sent commands sent for an operation
 * @param serverCpu microseconds of the servers for an operation
 * @param clientCpu microseconds of the clients for an operation
 */
public record Point(
    int size,
    double rate,
    double p50,
    double p99,
    double sent,
    double serverCpu,
    double clientCpu) {}
