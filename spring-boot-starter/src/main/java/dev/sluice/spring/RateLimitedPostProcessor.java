package dev.sluice.spring;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Puts the interceptor in front of every bean with a {@link RateLimited} method, outside of all
 * other advice, and checks the annotations while the beans are made.
 */
final class RateLimitedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1L;

  // Not part of any serialized form: post-processors are never stored.
  private transient @Nullable RateLimitedInterceptor interceptor;

  RateLimitedPostProcessor() {
    setBeforeExistingAdvisors(true);
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    RateLimitedInterceptor limited = new RateLimitedInterceptor(beanFactory);
    interceptor = limited;
    advisor =
        new DefaultPointcutAdvisor(
            new AnnotationMatchingPointcut(null, RateLimited.class, true), limited);
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    if (AnnotationUtils.isCandidateClass(type, RateLimited.class)) {
      check(type);
    }
    return super.postProcessAfterInitialization(bean, beanName);
  }

  private void check(Class<?> type) {
    Set<Method> annotated =
        MethodIntrospector.selectMethods(
            type,
            (Method method) -> AnnotatedElementUtils.hasAnnotation(method, RateLimited.class));
    for (Method method : annotated) {
      int modifiers = method.getModifiers();
      if (Modifier.isPrivate(modifiers)
          || Modifier.isFinal(modifiers)
          || Modifier.isStatic(modifiers)) {
        throw new SettingException(
            "@RateLimited at " + type.getSimpleName() + "." + method.getName(),
            "a private, final or static method is out of a proxy's reach");
      }
      requireNonNull(interceptor, "no bean factory was set").call(method, type);
    }
  }
}
