package dev.sluice.bench.run;

import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.Tier;
import java.io.Serializable;
import java.time.Duration;
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
   */
  record Admit(String limiter, Allowance allowance, Habit habit, int keys, Calls calls)
      implements Order {}

  /**
   * How callers call.
   *
   * @param process number of this process in the measurement, from 1
   * @param callers threads, or calls in flight
   * @param everyNanos time between two calls of a thread; 0 for none
   * @param recorded whether the times of all admissions are reported
   */
  record Calls(
      int process, int callers, boolean async, int sampleEvery, long everyNanos, boolean recorded)
      implements Serializable {}

  /** Makes a Bloom filter, once, and adds elements to it, so many as it is for, or none. */
  record Fill(String filter, int size, double rate, boolean full) implements Order {}

  /** Makes callers of a Bloom filter that {@link Fill} made; they do not start yet. */
  record Probe(String filter, Task task, int elements, Calls calls) implements Order {}

  /** Adds elements to a Bloom filter in one call, and asks for them in one. */
  record AtOnce(String filter, int elements) implements Order {}

  /** Asks a Bloom filter for elements that it does not have. Answered with {@link Reply.Wrong}. */
  record AskAbsent(String filter, int from, int count) implements Order {}

  /** The callers start. Their {@link Stop} is answered with {@link Reply.Admissions}. */
  record Go() implements Order {}

  /**
   * Makes sure that there are so many clients, connected.
   *
   * @param ownInboxes how many of them have a connection of their own for messages
   */
  record Gather(int clients, int ownInboxes) implements Order {}

  /**
   * Sends the first so many clients on an errand. Their {@link Stop} is answered with {@link
   * Reply.Outcome}.
   *
   * @param name of the lock, the limiter or the stock
   * @param process number of this process in the measurement, from 1
   * @param processes how many there are
   * @param keys how many keys there are to choose from
   * @param page file of the shared page
   */
  record Send(
      Errand errand, String name, int process, int processes, int clients, long keys, String page)
      implements Order {}

  /** One client leaves behind what one key of such an errand has. */
  record Touch(Errand errand, String name) implements Order {}

  /** Asks a limiter once for each of its keys. */
  record Spend(String limiter, Allowance allowance, Habit habit, int keys) implements Order {}

  /** Replays a made-up log. Answered with {@link Reply.Took}. */
  record Replay(long lines, int addresses, List<String> policies) implements Order {}

  /** Releases what {@link TakeMany} took. */
  record GiveMany() implements Order {}

  /**
   * Makes a cache, or finds the one that it has made under this name.
   *
   * @param process number of this process in the measurement, from 1
   * @param page file of the shared page, on which loads are noted
   */
  record OpenShelf(
      String cache, Tier tier, Habit habit, Database.Kind database, int process, String page)
      implements Order {}

  /** Stores a value of so many bytes under each of so many keys. */
  record Stock(String cache, int keys, int bytes) implements Order {}

  /**
   * Makes threads that read stocked keys; they do not start yet. Their {@link Stop} is answered
   * with {@link Reply.Outcome}.
   *
   * @param batch reads between two looks at the clock
   */
  record Read(String cache, int keys, int bytes, int threads, int batch) implements Order {}

  /** Drops a key, for all processes. */
  record Drop(String cache, String key) implements Order {}

  /**
   * So many threads ask for one key, once and all at a time. Answered with {@link Reply.Rushed}.
   */
  record Rush(String cache, String key, int callers) implements Order {}

  /** Asks for keys that do not exist, all different. Answered with {@link Reply.Sought}. */
  record Seek(String cache, int count, int threads, long seed) implements Order {}

  /**
   * In virtual time: stores keys together and reads them all, again and again, while they expire.
   * Answered with {@link Reply.Expired}.
   *
   * @param jitter greatest share of the TTL by which lives differ
   * @param bins how many times in the last tenth of the TTL all keys are read
   */
  record Expire(int keys, Duration ttl, double jitter, int bins) implements Order {}
}
