package dev.sluice.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs all tests of a class once for each Redis program of this machine: the installed one and the
 * bundled one, or only for the first of them with {@code -Dsluice.redis.programs=1}. The class gets
 * a {@link RedisServer} (shared by its tests) or a {@link RedisBinary} (for tests that start
 * servers themselves) as a parameter of its constructor or of its methods.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ClassTemplate
@ExtendWith(EachRedisExtension.class)
public @interface EachRedis {}
