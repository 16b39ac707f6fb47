package dev.sluice.servers;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs all tests of a class on a Redis program of this machine: the first of the installed and the
 * bundled one. {@code -Dsluice.redis.programs=rest} runs them on the other, {@code all} on both,
 * and a list of paths on those programs, one after the other. The class gets a {@link RedisServer}
 * (shared by its tests) or a {@link RedisBinary} (for tests that start servers themselves) as a
 * parameter of its constructor or of its methods.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ClassTemplate
@ExtendWith(EachRedisExtension.class)
public @interface EachRedis {}
