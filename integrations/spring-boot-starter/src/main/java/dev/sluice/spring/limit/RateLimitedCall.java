package dev.sluice.spring.limit;

import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.limit.RateLimiter;
import dev.sluice.spring.internal.KeyExpression;
import dev.sluice.spring.internal.PermitCost;
import dev.sluice.spring.internal.SettingException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/** One annotated method with its parsed expression and its fallback. */
final class RateLimitedCall {
  final RateLimiter limiter;
  final long permits;
  final boolean async;
  private final String place;
  private final Method method;
  private final KeyExpression key;
  private final @Nullable Method fallback;

  /**
   * @throws SettingException if the annotation cannot work
   */
  RateLimitedCall(
      RateLimited annotation,
      Method method,
      Class<?> type,
      RateLimiters limiters,
      BeanFactory beans) {
    this.place = "@RateLimited at " + type.getSimpleName() + "." + method.getName();
    this.method = method;
    this.permits = annotation.permits();
    Class<?> result = method.getReturnType();
    this.async =
        CompletionStage.class.isAssignableFrom(result)
            && result.isAssignableFrom(CompletableFuture.class);
    try {
      this.limiter = limiters.get(annotation.limiter());
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
    PermitCost.check(place, limiter, permits);
    this.key = new KeyExpression(place, annotation.key(), method, beans);
    this.fallback = annotation.fallback().isEmpty() ? null : fallback(annotation.fallback(), type);
  }

  private SettingException wrong(String problem) {
    return new SettingException(place, problem);
  }

  private Method fallback(String name, Class<?> type) {
    Class<?>[] same = method.getParameterTypes();
    Class<?>[] more = Arrays.copyOf(same, same.length + 1);
    more[same.length] = Decision.class;
    Method found = ReflectionUtils.findMethod(type, name, more);
    if (found == null) {
      found = ReflectionUtils.findMethod(type, name, same);
    }
    if (found == null || !method.getReturnType().isAssignableFrom(found.getReturnType())) {
      throw wrong(
          "fallback '"
              + name
              + "' must be a method of "
              + type.getSimpleName()
              + " that takes the same parameters, and a Decision last if it wants one, and returns "
              + method.getReturnType().getSimpleName());
    }
    ReflectionUtils.makeAccessible(found);
    return found;
  }

  String key(Object target, @Nullable Object[] arguments) {
    return key.of(target, arguments);
  }

  /** Handles a refused call with the fallback or an exception. */
  @Nullable Object refused(Object target, @Nullable Object[] arguments, Decision decision)
      throws Throwable {
    if (fallback == null) {
      throw new RateLimitedException(limiter.name(), decision);
    }
    @Nullable Object[] all = Arrays.copyOf(arguments, fallback.getParameterCount());
    if (all.length > arguments.length) {
      all[arguments.length] = decision;
    }
    try {
      return fallback.invoke(target, all);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
