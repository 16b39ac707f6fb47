package dev.sluice.limit;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Limits the calls of each key, across all processes that use the same name. Every decision is one
 * atomic step at the store, by the store's clock.
 *
 * <p>{@code tryAcquire} returns a refusal as a {@link Decision}, {@code acquire} throws it. If the
 * store does not answer within the deadline, the {@link Outage} policy decides. If the key holds
 * data that Sluice did not write, a decision throws {@link dev.sluice.ForeignDataException}; the
 * data stays untouched. If the {@link LimitPlans} function fails, a call throws {@link
 * dev.sluice.SluiceException} and counts nothing.
 *
 * <p>Safe for use by many threads. Without a wait, a decision blocks at most for the deadline
 * (default: 50 ms); an interruption does not end it, and the thread stays interrupted. With a wait,
 * a call blocks at most that long and throws {@link InterruptedException} if its thread is
 * interrupted.
 *
 * <pre>{@code
 * RateLimiter api = sluice.rateLimiter("api", Limit.tokenBucket(30, Duration.ofMinutes(1)));
 * Decision decision = api.tryAcquire("user/123");
 * if (!decision.allowed()) {
 *   System.out.println("try again in " + decision.retryAfter());
 * }
 * }</pre>
 *
 * @since 0.1
 */
public interface RateLimiter {

  /** {@return the name that processes share} */
  String name();

  /**
   * Takes one permit if it passes right now.
   *
   * @param key whose permits, 1 to 512 bytes of UTF-8
   * @return the decision
   */
  default Decision tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /**
   * Takes permits if they pass right now, in every tier or in none.
   *
   * @param key whose permits, 1 to 512 bytes of UTF-8
   * @param cost how many; 0 looks and is always allowed
   * @return the decision
   * @throws IllegalArgumentException if the cost is negative or above the capacity of a tier, which
   *     could never pass
   */
  Decision tryAcquire(String key, long cost);

  /**
   * Returns the decision that {@link #tryAcquire(String, long)} would return, and takes nothing.
   *
   * @param key whose permits
   * @param cost how many
   * @return the decision
   */
  Decision peek(String key, long cost);

  /**
   * Waits for permits, with a refusal as a value. The place is taken in one step and the thread
   * sleeps until its time; it does not ask again. When the time cannot come within {@code wait},
   * nothing is taken and the call returns immediately.
   *
   * @param key whose permits
   * @param cost how many, at least 1
   * @param wait longest wait, zero or more. The store bounds it to an hour, less if the rate of a
   *     bucket needs a very fine unit
   * @return allowed once the time has come, or refused
   * @throws InterruptedException if the thread is interrupted; the place is given up as by {@link
   *     Reservation#cancel()}
   */
  Decision tryAcquire(String key, long cost, Duration wait) throws InterruptedException;

  /**
   * Waits as {@link #tryAcquire(String, long, Duration)}, with a refusal as an exception.
   *
   * @param key whose permits
   * @param cost how many, at least 1
   * @param wait longest wait, zero or more
   * @return a decision that allows the call; its time has come
   * @throws RateLimitedException if the time would not come within {@code wait}; nothing is taken
   * @throws InterruptedException if the thread is interrupted; the place is given up as by {@link
   *     Reservation#cancel()}
   */
  Decision acquire(String key, long cost, Duration wait) throws InterruptedException;

  /**
   * Reserves a time as {@link #tryAcquire(String, long, Duration)} does, and leaves the waiting to
   * the caller.
   *
   * @param key whose permits
   * @param cost how many, at least 1
   * @param maxWait longest wait
   * @return the place, or a refusal
   */
  Reservation reserve(String key, long cost, Duration maxWait);

  /**
   * Takes an estimate now for a use whose cost is known later, with a refusal as a value. The
   * decision is the store's, by itself: no permits in advance, no remembered refusal.
   *
   * @param key whose permits
   * @param estimate what the use will probably cost, at least 1
   * @return the use; its {@link Usage#decision()} says whether it may go ahead
   * @throws IllegalArgumentException if the estimate is below 1 or above the capacity of a tier, or
   *     if the limit is a leaky queue, which counts callers
   */
  Usage tryBegin(String key, long estimate);

  /**
   * Begins a use as {@link #tryBegin}, with a refusal as an exception.
   *
   * @param key whose permits
   * @param estimate what the use will probably cost, at least 1
   * @return the use; it may go ahead
   * @throws RateLimitedException if it may not; nothing was taken
   * @throws IllegalArgumentException as by {@link #tryBegin}
   */
  Usage begin(String key, long estimate);

  /**
   * Settles a use that began in another process or before a restart, in a limiter of the same name
   * on the same store. As {@link Usage#settle}, it counts once: the first settlement or refund of a
   * use counts, in whichever process.
   *
   * <p>The id carries the estimate, the time of the beginning and the time to settle, so the caller
   * keeps only the key and the id. An id with an altered character, or of another limiter or key,
   * is refused and changes nothing. The id of another use of the same key settles that use. An id
   * gives back at most its estimate, once, and never more than the key has spent.
   *
   * <p>If the key's limits or the version of the policy differ from those that the use began under,
   * nothing comes back, and a cost above the estimate is spent under the limits of this process.
   *
   * @param key whose permits
   * @param usageId {@link Usage#id()} of the use
   * @param actual what the use has cost, 0 or more. It may exceed the capacity
   * @return whether it counted; {@link Settlement#NOT_HELD} also for a use that was refused
   * @throws IllegalArgumentException if the id is none of this limiter and key, if {@code actual}
   *     is negative, or if the limit is a leaky queue
   * @throws dev.sluice.BackendException if the store did not answer; repeat it
   */
  Settlement settle(String key, String usageId, long actual);

  /**
   * Refunds the estimate of a use that did not happen, as {@link Usage#refund()} does, for a use
   * that began in another process or before a restart.
   *
   * @param key whose permits
   * @param usageId {@link Usage#id()} of the use
   * @return as by {@link #settle}
   * @throws IllegalArgumentException as by {@link #settle}
   * @throws dev.sluice.BackendException if the store did not answer; repeat it
   */
  Settlement refund(String key, String usageId);

  /**
   * Returns permits that were taken and not used. Never more than was spent: a key never has more
   * than its capacity. A leaky queue ignores it: what it granted has drained already. To give up a
   * place that lies ahead, call {@link Reservation#cancel()}.
   *
   * @param key whose permits
   * @param cost how many, at least 1
   * @throws dev.sluice.BackendException if the store did not answer
   */
  void refund(String key, long cost);

  /**
   * Resets a key in all tiers that are not shared.
   *
   * @param key whose permits
   * @throws dev.sluice.BackendException if the store did not answer
   */
  void reset(String key);

  /** {@return the policy in force in this process} */
  RateLimiterOptions options();

  /**
   * Returns the limits of a key in this process: those of its override, of its plan, or the common
   * ones. Asks no store, and calls the {@link LimitPlans} function if there are plans.
   *
   * @param key whose permits, 1 to 512 bytes of UTF-8
   * @return the tiers, 1 to 8
   * @throws dev.sluice.SluiceException if the function fails
   */
  List<Limit> limitsOf(String key);

  /**
   * Changes the policy of this process immediately. Give it a higher version, so that processes
   * with the older version follow.
   *
   * @param options the new policy
   * @throws IllegalArgumentException if its version is lower than the present one
   */
  void update(RateLimiterOptions options);

  /** {@return counts since the limiter was created} */
  RateLimiterStats stats();

  /**
   * The keys with the most requests since the last call of this method. Keys are counted only while
   * this method is called from time to time: the first answer is empty, and counting ends some time
   * after the last call. If there are very many keys, only a few hundred are counted, most likely
   * the busiest.
   *
   * @return at most 10 keys and how often each was asked for, the busiest first
   */
  Map<String, Long> busiestKeys();

  /** {@return an asynchronous view of this limiter} */
  AsyncRateLimiter async();
}
