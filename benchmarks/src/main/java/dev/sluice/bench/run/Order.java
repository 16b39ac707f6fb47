package dev.sluice.bench.run;

import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Habit;
import java.io.Serializable;
import java.util.List;

/** What the controlling process asks of a worker process. */
sealed interface Order extends Serializable {

  /**
   * Starts threads that run a pattern, without measuring yet.
   *
   * @param process number of this process in the measurement, from 1
   * @param sampleEvery every how many turns the clock is read
   * @param page file of the shared page
   */
  record Start(
      Pattern pattern,
      Habit habit,
      String lock,
      int process,
      int threads,
      int sampleEvery,
      String page)
      implements Order {}

  /** Measuring begins. */
  record Measure() implements Order {}

  /** Measuring ends, the threads go on. */
  record Pause() implements Order {}

  /** The threads stop; answered with a {@link Reply.Outcome}. */
  record Stop() implements Order {}

  /** Acquires and releases one lock many times. */
  record Cycles(String lock, int count) implements Order {}

  /** Acquires a lock and keeps it. */
  record Take(String lock) implements Order {}

  /** Releases what {@link Take} took. */
  record Give() implements Order {}

  /** Takes many locks and keeps them. Answered with {@link Reply.Held}. */
  record TakeMany(String prefix, int count, int threads) implements Order {}

  /** Looks at what {@link TakeMany} took. Answered with {@link Reply.Held}. */
  record CheckMany() implements Order {}

  /**
   * Makes a limiter and its callers, who do not start yet.
   *
   * @param keys how many keys the callers ask for, at random
   * @param process number of this process in the measurement, from 1
   * @param callers threads, or calls in flight
   * @param everyNanos time between two calls of a thread; 0 for none
   * @param recorded whether the times of all admissions are reported
   */
  record Admit(
      String limiter,
      Allowance allowance,
      Habit habit,
      int keys,
      int process,
      int callers,
      boolean async,
      int sampleEvery,
      long everyNanos,
      boolean recorded)
      implements Order {}

  /** The callers start. Their {@link Stop} is answered with {@link Reply.Admissions}. */
  record Go() implements Order {}

  /** Asks a limiter once for each of its keys. */
  record Spend(String limiter, Allowance allowance, Habit habit, int keys) implements Order {}

  /** Replays a made-up log. Answered with {@link Reply.Replayed}. */
  record Replay(long lines, int addresses, List<String> policies) implements Order {}

  /** Releases what {@link TakeMany} took. */
  record GiveMany() implements Order {}
}
