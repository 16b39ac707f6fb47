package dev.sluice.spring.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method of a Spring bean runs while this process holds a lock. On a class it applies to every
 * public method that is not annotated. It works on calls through the bean's proxy, that is from
 * other beans. A method that calls another one of the same object takes no lock.
 *
 * <p>The lock is taken before a transaction of the method begins, and released after it has ended.
 * If the caller has begun one already, the lock is released before that one commits. A warning is
 * logged, once for each method.
 *
 * <p>A parameter of type {@link dev.sluice.lock.Lease} or {@link dev.sluice.guard.FencingToken}, or
 * a {@code long} with {@link LeaseToken}, gets what belongs to this call, not what the caller
 * passes. Send the token along to the resource, for a lease may be lost while the method runs: its
 * time may run out in a pause, or an operator may end it. {@code lease.checkHeld()} asks in
 * between. If the lease was lost before the method returned, the call throws {@link
 * dev.sluice.lock.LeaseLostException} in place of the result; what the method did stays done.
 *
 * <p>A method that returns a {@link java.util.concurrent.CompletionStage} waits for the lock
 * without blocking, runs on the bean {@code applicationTaskExecutor}, or on the common pool if
 * there is none, and holds the lock until its stage completes; cancelling what the caller got ends
 * the wait. Reactive types, a {@code Future} that is none of these, and {@code @Async} methods that
 * return nothing would give the lock back too early: they end the start of the application, as does
 * anything else here that cannot work.
 *
 * <p>While the store does not answer, the call throws {@link dev.sluice.BackendException}. Neither
 * {@link #busy()} nor {@link #fallback()} applies then: it is unknown whether the lock is free.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {

  /**
   * {@return the name of the lock, or its beginning where there is a {@link #key()}: {@code orders}
   * and {@code #id} make {@code orders/42}. May have placeholders. Either of the two must be set}
   */
  String name() default "";

  /**
   * {@return the part of the name that differs per call, in Spring's expression language: {@code
   * #order.id}, {@code #p0}. Parameters by name, other beans as {@code @bean}; the root is the
   * target bean. The value is converted to text; null or an empty text is an error}
   */
  String key() default "";

  /**
   * {@return the longest wait for the lock: {@code 500ms}, {@code 2s}, {@code 1m}, {@code PT2S}; 0
   * tries once. May be a placeholder}
   */
  String waitUpTo() default "2s";

  /**
   * {@return the length of the lease, 10 ms to {@code sluice.lock.max-ttl}: the time for which a
   * dead process blocks others. May be a placeholder}
   */
  String ttl() default "30s";

  /**
   * {@return whether the lease is renewed every third of its TTL while the method runs. Otherwise
   * it expires after the TTL}
   */
  boolean renewed() default true;

  /**
   * {@return the longest time for which the lease is renewed, so that a method that hangs does not
   * keep the lock forever; no bound if empty. May be a placeholder}
   */
  String maxHold() default "";

  /** {@return the result of a call whose wait timed out, if there is no {@link #fallback()}} */
  Busy busy() default Busy.THROW;

  /**
   * {@return the name of the method that replaces a call whose wait timed out. It has the same
   * class, result and parameters; those of the lease are optional, and are null or 0}
   */
  String fallback() default "";

  /** The treatment of a call that did not get the lock in time. */
  enum Busy {
    /** Throws {@link dev.sluice.lock.LockTimeoutException}. */
    THROW,
    /**
     * Returns without running: null, zero, false, an empty {@code Optional}, or a stage that is
     * complete with one of them.
     */
    SKIP
  }
}
