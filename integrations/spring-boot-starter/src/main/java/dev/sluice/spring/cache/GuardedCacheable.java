package dev.sluice.spring.cache;

import dev.sluice.cache.Consistency;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.core.annotation.AliasFor;

/**
 * Spring's {@link Cacheable} with the settings of the guarded cache. It works wherever {@code
 * Cacheable} does, on calls that come through the bean's proxy.
 *
 * <p>The settings are those of the cache, not of the method. Every attribute can stay unset: then
 * the value under {@code sluice.cache.caches.NAME} applies, or the value of another method of the
 * same cache, or the value under {@code sluice.cache.defaults}. If two methods, or a method and
 * {@code sluice.cache.caches.NAME}, set one attribute to different values, the application does not
 * start. A method takes precedence over {@code sluice.cache.defaults}.
 *
 * <p>Durations are text as in the properties: {@code 500ms}, {@code 10m}, {@code PT10M}. All texts
 * can contain placeholders, such as {@code ${products.ttl:10m}}.
 *
 * <p>The cache must be one of Sluice's cache manager. If the application has another one, or no
 * setting under {@code sluice.cache}, it does not start. If {@code sluice.cache.enabled} or {@code
 * sluice.enabled} is false, this is a plain {@code Cacheable}.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Cacheable
public @interface GuardedCacheable {

  /** {@return the names of the caches; an alias of {@link #cacheNames}} */
  @AliasFor(annotation = Cacheable.class, attribute = "cacheNames")
  String[] value() default {};

  /** {@return the names of the caches, which all get the settings} */
  @AliasFor(annotation = Cacheable.class, attribute = "cacheNames")
  String[] cacheNames() default {};

  /** {@return the key, as in {@link Cacheable#key}} */
  @AliasFor(annotation = Cacheable.class, attribute = "key")
  String key() default "";

  /** {@return the name of the key generator, as in {@link Cacheable#keyGenerator}} */
  @AliasFor(annotation = Cacheable.class, attribute = "keyGenerator")
  String keyGenerator() default "";

  /** {@return when the cache is used, as in {@link Cacheable#condition}} */
  @AliasFor(annotation = Cacheable.class, attribute = "condition")
  String condition() default "";

  /** {@return which results are not stored, as in {@link Cacheable#unless}} */
  @AliasFor(annotation = Cacheable.class, attribute = "unless")
  String unless() default "";

  /** {@return whether waiters share the load and its failure, as in {@link Cacheable#sync}} */
  @AliasFor(annotation = Cacheable.class, attribute = "sync")
  boolean sync() default false;

  /** {@return how long a value is fresh, 1 ms to 30 days (default: 10m)} */
  String ttl() default "";

  /**
   * {@return share by which lives are shortened at random, 0 to 0.9 (default: 0.1); one at most}
   */
  double[] jitter() default {};

  /** {@return how long null is remembered, 0s to 5m; 0s for not at all (default: 60s)} */
  String absentTtl() default "";

  /** {@return most copies kept in this process; 0 for none (default: 0); one number at most} */
  long[] near() default {};

  /** {@return how long a copy lives, 1 ms to 30 days (default: 1m)} */
  String nearTtl() default "";

  /** {@return how long a copy may outlive its value, 100 ms to 1 minute (default: 1s)} */
  String nearStaleness() default "";

  /** {@return name of a bean of type {@code BloomFilter} that has every key (default: none)} */
  String guard() default "";

  /**
   * {@return how long expired values are kept, to be returned when a load fails or the store is
   * unreachable, 1 ms to 30 days (default: not kept)}
   */
  String staleOnError() default "";

  /**
   * {@return last part of a life in which one reader has the value reloaded, 0 to 0.9 (default: 0);
   * needs {@link #sync}; one number at most}
   */
  double[] earlyRefresh() default {};

  /**
   * {@return when a reader gets the expired value while the load goes on; needs {@link #sync} and
   * {@link #staleOnError} (default: never)}
   */
  String softTimeout() default "";

  /**
   * {@return when a reader gives up while the load goes on; needs {@link #sync} (default: never)}
   */
  String hardTimeout() default "";

  /** {@return what a read may return after a write (default: EVENTUAL); one at most} */
  Consistency[] consistency() default {};

  /** {@return whether loads and writes of one key form one queue (default: false); one at most} */
  boolean[] serial() default {};

  /** {@return longest wait for the store's answer, 1 ms to 1 minute (default: 100ms)} */
  String deadline() default "";

  /** {@return how long others wait for a process that died while it loaded (default: 3s)} */
  String fillLease() default "";

  /** {@return how long nothing is cached after a process died while it wrote (default: 10s)} */
  String intent() default "";

  /** {@return limit on loads while the store is unreachable (default: token-bucket 100/s)} */
  String fallback() default "";

  /** {@return name of a bean of type {@code Codec} (default: JSON of the method's result)} */
  String codec() default "";
}
