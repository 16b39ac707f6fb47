package dev.sluice.spring.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Injects the fencing token of a call into a {@code long} parameter of a {@link Locked} method, for
 * a condition at the resource: {@code WHERE fence <= :token}.
 *
 * @since 0.1
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface LeaseToken {}
