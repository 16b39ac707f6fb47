package dev.sluice.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Injects a {@link dev.sluice.Sluice} and its time into the tests of a class, or into one test. See
 * {@link SluiceExtension}.
 *
 * @since 0.1
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SluiceExtension.class)
public @interface SluiceTest {}
