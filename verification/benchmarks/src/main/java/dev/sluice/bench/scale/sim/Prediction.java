package dev.sluice.bench.scale.sim;

/**
 * The result of a simulation.
 *
 * @param rate operations per second
 * @param p50 latency, microseconds
 * @param p99 latency, microseconds
 * @param utilisation share of the time in which the busiest server works
 */
public record Prediction(double rate, double p50, double p99, double utilisation) {}
