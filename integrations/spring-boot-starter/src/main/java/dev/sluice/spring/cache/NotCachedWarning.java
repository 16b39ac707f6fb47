package dev.sluice.spring.cache;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Logs a warning for the first {@link GuardedCacheable} method of an application that does not
 * enable Spring's cache annotations: nothing reads the annotation there.
 */
final class NotCachedWarning implements BeanPostProcessor {
  private static final Log LOG = LogFactory.getLog(GuardedCacheable.class);

  private final AtomicBoolean logged = new AtomicBoolean();

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    if (!logged.get() && AnnotationUtils.isCandidateClass(type, GuardedCacheable.class)) {
      MethodIntrospector.selectMethods(
              type, (Method each) -> CacheDeclarations.annotation(each, type) != null)
          .stream()
          .findFirst()
          .ifPresent(method -> warn(method, type));
    }
    return bean;
  }

  private void warn(Method method, Class<?> type) {
    if (logged.compareAndSet(false, true)) {
      LOG.warn(
          CacheDeclarations.place(method, type)
              + " caches nothing, because Spring's cache annotations are not enabled: add"
              + " @EnableCaching to a @Configuration class, and set sluice.cache.enabled=true");
    }
  }
}
