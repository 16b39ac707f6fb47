package dev.sluice.spring.cache;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapterRegistry;

/** Wraps Spring's own cache advice, so that a call begins and ends for {@link CacheCall}. */
final class CacheCallAdvisor extends StaticMethodMatcherPointcutAdvisor {
  private static final long serialVersionUID = 1L;

  private final transient AnnotationCacheOperationSource source =
      new AnnotationCacheOperationSource(false);
  private final transient ValueTypes types;
  private final transient CacheDeclarations declarations;

  CacheCallAdvisor(ValueTypes types, CacheDeclarations declarations) {
    this.types = types;
    this.declarations = declarations;
    setOrder(Ordered.HIGHEST_PRECEDENCE);
    setAdvice(
        (MethodInterceptor)
            invocation -> {
              try (CacheCall call = CacheCall.begin(isAsync(invocation.getMethod()))) {
                return invocation.proceed();
              }
            });
  }

  @Override
  public boolean matches(Method method, Class<?> targetClass) {
    @Nullable Collection<CacheOperation> operations =
        source.getCacheOperations(method, targetClass);
    if (operations == null || operations.isEmpty()) {
      return false;
    }
    types.add(method, targetClass, operations);
    declarations.add(method, targetClass, operations);
    return true;
  }

  private static boolean isAsync(Method method) {
    Class<?> type = method.getReturnType();
    return CompletionStage.class.isAssignableFrom(type)
        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
  }
}
