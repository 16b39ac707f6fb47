package dev.sluice.spring.cache;

import dev.sluice.spring.internal.SettingException;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Fails the start if a method is {@link GuardedCacheable} and the cache manager is not Sluice's,
 * which would ignore its settings. Advises no method.
 */
final class GuardedCacheableCheck extends StaticMethodMatcherPointcutAdvisor {
  private static final long serialVersionUID = 1L;

  private final transient ListableBeanFactory beans;

  GuardedCacheableCheck(ListableBeanFactory beans) {
    this.beans = beans;
    setClassFilter(type -> AnnotationUtils.isCandidateClass(type, GuardedCacheable.class));
    setAdvice((MethodInterceptor) MethodInvocation::proceed);
  }

  @Override
  public boolean matches(Method method, Class<?> targetClass) {
    if (CacheDeclarations.annotation(method, targetClass) != null
        && beans.getBeanNamesForType(SluiceCacheManager.class, true, false).length == 0) {
      throw new SettingException(
          CacheDeclarations.place(method, targetClass),
          "needs Sluice's cache manager, and there is none, because the application defines"
              + " another CacheManager, or has no setting under sluice.cache: set"
              + " sluice.cache.enabled=true, or use @Cacheable");
    }
    return false;
  }
}
