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
 * sluice.enabled} is false, this is a plain {@code Cacheable}. Without {@code @EnableCaching}, the
 * method caches nothing, and a warning is logged.
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

  /** {@return the condition under which the cache is used, as in {@link Cacheable#condition}} */
  @AliasFor(annotation = Cacheable.class, attribute = "condition")
  String condition() default "";

  /** {@return the condition under which a result is not stored, as in {@link Cacheable#unless}} */
  @AliasFor(annotation = Cacheable.class, attribute = "unless")
  String unless() default "";

  /** {@return whether waiters share the load and its failure, as in {@link Cacheable#sync}} */
  @AliasFor(annotation = Cacheable.class, attribute = "sync")
  boolean sync() default false;

  /** {@return the time for which a value is fresh, 1 ms to 30 days (default: 10m)} */
  String ttl() default "";

  /**
   * {@return the random share by which lives are shortened, 0 to 0.9 (default: 0.1); at most one}
   */
  double[] jitter() default {};

  /** {@return the time for which null is cached, 0s to 5m; 0s to cache no null (default: 60s)} */
  String absentTtl() default "";

  /** {@return the most copies in this process; 0 for none (default: 0); at most one number} */
  long[] near() default {};

  /** {@return the life of a near copy, 1 ms to 30 days (default: 1m)} */
  String nearTtl() default "";

  /**
   * {@return the time for which a near copy may outlive its value, 100 ms to 1 minute (default:
   * 1s)}
   */
  String nearStaleness() default "";

  /** {@return the name of a bean of type {@code BloomFilter} that has every key (default: none)} */
  String guard() default "";

  /**
   * {@return the time for which expired values are kept, for use when a load fails or the store is
   * unreachable, 1 ms to 30 days (default: not kept)}
   */
  String staleOnError() default "";

  /**
   * {@return the last part of a life in which one reader refreshes the value, 0 to 0.9 (default:
   * 0); needs {@link #sync}; at most one number}
   */
  double[] earlyRefresh() default {};

  /**
   * {@return the time after which a reader gets the expired value while the load continues; needs
   * {@link #sync} and {@link #staleOnError} (default: never)}
   */
  String softTimeout() default "";

  /**
   * {@return the time after which a reader gives up while the load continues; needs {@link #sync}
   * (default: never)}
   */
  String hardTimeout() default "";

  /** {@return the values that a read may return after a write (default: EVENTUAL); one at most} */
  Consistency[] consistency() default {};

  /** {@return whether loads and writes of one key are serialized (default: false); at most one} */
  boolean[] serial() default {};

  /** {@return the timeout of a request to the store, 1 ms to 1 minute (default: 100ms)} */
  String deadline() default "";

  /** {@return the time that readers wait for a process that died during a load (default: 3s)} */
  String fillLease() default "";

  /** {@return the time without caching after a process died during a write (default: 10s)} */
  String intent() default "";

  /** {@return the limit on loads while the store is unreachable (default: token-bucket 100/s)} */
  String fallback() default "";

  /** {@return the name of a bean of type {@code Codec} (default: JSON of the method's result)} */
  String codec() default "";
}
