package dev.sluice.spring.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.spring.internal.AnnotatedMethods;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Wraps every bean that has a {@link RateLimited} method, outside all other advice, and checks the
 * annotations while beans are created.
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
    AnnotatedMethods.check(
        bean,
        RateLimited.class,
        (method, type) -> AnnotatedElementUtils.hasAnnotation(method, RateLimited.class),
        (method, type) ->
            requireNonNull(interceptor, "no bean factory was set").call(method, type));
    return super.postProcessAfterInitialization(bean, beanName);
  }
}
