package dev.sluice.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of a replay.
 *
 * @param bytes of the log, as read
 * @param lines of the log, without empty ones and a header
 * @param requests lines that were decided
 * @param malformed lines that could not be read
 * @param examples the first of them
 * @param withoutKey lines that name no key, to which no limit applies
 * @param outOfOrder lines that were earlier than one before; they count as at that time
 * @param latest by how much at most they were late
 * @param from time of the first request; the epoch if there is none
 * @param to time of the last request
 * @param keys how many keys there were
 * @param keysExact false if the number of keys, and what is said about their shares, is of a sample
 * @param giniOfAsked how unequal the keys' requests are: 0 all equal, towards 1 one has all
 * @param binWidth how long a bin of the timeline lasts
 * @param binStart when the first bin begins
 * @param asked requests of each bin
 * @param policies what each policy did, in the order given
 * @since 0.1
 */
public record ReplayReport(
    long bytes,
    long lines,
    long requests,
    long malformed,
    List<BadLine> examples,
    long withoutKey,
    long outOfOrder,
    Duration latest,
    Instant from,
    Instant to,
    long keys,
    boolean keysExact,
    double giniOfAsked,
    Duration binWidth,
    Instant binStart,
    List<Long> asked,
    List<Result> policies) {

  /**
   * A line that could not be parsed.
   *
   * @param number its number, from 1
   * @param problem what is wrong
   * @param text its beginning
   */
  public record BadLine(long number, String problem, String text) {}

  /**
   * The result of one policy.
   *
   * @param policy its text
   * @param admitted requests that passed, immediately or after a wait
   * @param refused requests that did not
   * @param worst the fullest period of each tier
   * @param neverRefused share of the keys that were never refused
   * @param giniOfAdmitted how unequal the keys' admissions are
   * @param mostRefused keys that were refused most often
   * @param delays how long those who passed waited, if the policy makes callers wait
   * @param forgottenEarly keys that were taken for new although something counted as spent, because
   *     the memory was full; up to a capacity more for each was admitted than the policy would have
   * @param refusedOverTime refusals of each bin
   */
  public record Result(
      String policy,
      long admitted,
      long refused,
      List<Worst> worst,
      double neverRefused,
      double giniOfAdmitted,
      List<Refused> mostRefused,
      Optional<Waits> delays,
      long forgottenEarly,
      List<Long> refusedOverTime) {}

  /**
   * The most that a tier admitted within one period, with any start.
   *
   * @param limit the tier's text
   * @param period the period
   * @param count how many permits the tier gives in a period
   * @param most how many it gave
   * @param key to whom
   * @param at when the last of them passed; the epoch if none did
   */
  public record Worst(
      String limit, Duration period, long count, long most, String key, Instant at) {}

  /**
   * A key and its refusals.
   *
   * @param key the key
   * @param count how often it was refused, or more
   * @param tooMuch by how much the count may be too high
   */
  public record Refused(String key, long count, long tooMuch) {}

  /**
   * The distribution of waiting times.
   *
   * @param delayed callers who had to wait
   * @param median of all who passed; rounded up by at most 1 %, as the next
   * @param p99 what 99 of 100 did not exceed
   * @param most the longest
   */
  public record Waits(long delayed, Duration median, Duration p99, Duration most) {}
}
