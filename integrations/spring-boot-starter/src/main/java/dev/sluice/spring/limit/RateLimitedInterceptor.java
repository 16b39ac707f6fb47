package dev.sluice.spring.limit;

import dev.sluice.limit.Decision;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Calls the limiter before the method runs. */
final class RateLimitedInterceptor implements MethodInterceptor {
  private static final String EXECUTOR = "applicationTaskExecutor";

  private final BeanFactory beans;
  private final Map<MethodClassKey, RateLimitedCall> calls = new ConcurrentHashMap<>();

  RateLimitedInterceptor(BeanFactory beans) {
    this.beans = beans;
  }

  /**
   * {@return the annotation's settings of a method}
   *
   * @throws SettingException if that cannot work
   */
  RateLimitedCall call(Method method, Class<?> type) {
    // A client made from an interface has the names of its parameters there alone.
    Method specific =
        Proxy.isProxyClass(type) ? method : AopUtils.getMostSpecificMethod(method, type);
    return calls.computeIfAbsent(
        new MethodClassKey(specific, type),
        key -> {
          RateLimited annotation =
              AnnotatedElementUtils.findMergedAnnotation(specific, RateLimited.class);
          if (annotation == null) {
            throw new IllegalStateException("no @RateLimited at " + specific);
          }
          return new RateLimitedCall(
              annotation, specific, type, beans.getBean(RateLimiters.class), beans);
        });
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    if (target == null) {
      return invocation.proceed();
    }
    RateLimitedCall call = call(invocation.getMethod(), AopUtils.getTargetClass(target));
    String key = call.key(target, invocation.getArguments());
    if (call.async) {
      return decideLater(call, key, target, invocation);
    }
    Decision decision = call.limiter.tryAcquire(key, call.permits);
    return decision.allowed()
        ? invocation.proceed()
        : call.refused(target, invocation.getArguments(), decision);
  }

  private CompletableFuture<@Nullable Object> decideLater(
      RateLimitedCall call, String key, Object target, MethodInvocation invocation) {
    CompletableFuture<Decision> decision =
        call.limiter.async().tryAcquire(key, call.permits).toCompletableFuture();
    if (decision.isDone()) {
      return decision.thenCompose(
          known -> run(call, target, invocation, known)); // still in the caller's thread
    }
    MethodInvocation later = ((ProxyMethodInvocation) invocation).invocableClone();
    Executor executor =
        beans.containsBean(EXECUTOR)
            ? beans.getBean(EXECUTOR, Executor.class)
            : ForkJoinPool.commonPool();
    return decision.thenComposeAsync(known -> run(call, target, later, known), executor);
  }

  @SuppressWarnings("unchecked") // the call is asynchronous: the method and its fallback agree
  private static CompletionStage<@Nullable Object> run(
      RateLimitedCall call, Object target, MethodInvocation invocation, Decision decision) {
    try {
      Object stage =
          decision.allowed()
              ? invocation.proceed()
              : call.refused(target, invocation.getArguments(), decision);
      return stage == null
          ? CompletableFuture.completedFuture(null)
          : (CompletionStage<@Nullable Object>) stage;
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
