package dev.sluice.spring.limit;

import dev.sluice.limit.RateLimitedException;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method of a Spring bean runs only if a limiter allows it, and is refused otherwise, without
 * waiting. It works on calls that come through the bean's proxy, that is from other beans, and
 * decides before a transaction opens.
 *
 * <p>A method that returns a {@link java.util.concurrent.CompletionStage} is decided without
 * blocking. Unless the decision is known immediately, the method then runs on the bean {@code
 * applicationTaskExecutor}, or on the common pool if there is none.
 *
 * <p>A limiter that does not exist, an expression that cannot work, or a fallback that does not fit
 * ends the start of the application.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimited {

  /** {@return the name of the limiter, one of {@code sluice.limiters}} */
  String limiter();

  /**
   * {@return the key whose permits are spent, in Spring's expression language: {@code #user.id},
   * {@code #p0}, {@code 'all'} for one count. Parameters by name, other beans as {@code @bean}; the
   * root is the target bean. The value is converted to text of 1 to 512 bytes}
   */
  String key();

  /** {@return the permits of one call, at least 1} */
  long permits() default 1;

  /**
   * {@return the name of the method that replaces a refused call. It has the same class, result and
   * parameters, optionally followed by a {@link dev.sluice.limit.Decision}. Without it a refused
   * call throws {@link RateLimitedException}}
   */
  String fallback() default "";
}
