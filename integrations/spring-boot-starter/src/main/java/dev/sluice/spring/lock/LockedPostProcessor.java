package dev.sluice.spring.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.spring.internal.AnnotatedMethods;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Wraps every bean that has a {@link Locked} method, outside all other advice except rate limits,
 * and checks the annotations while beans are created.
 */
final class LockedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1L;

  // Not part of any serialized form: post-processors are never stored.
  private transient @Nullable LockedInterceptor interceptor;

  LockedPostProcessor() {
    setBeforeExistingAdvisors(true);
    // before the post-processor of the rate limits, which goes to the front of what it finds:
    // who is refused a permit does not wait for a lock
    setOrder(LOWEST_PRECEDENCE - 1);
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    LockedInterceptor locks = new LockedInterceptor(beanFactory);
    interceptor = locks;
    advisor = new DefaultPointcutAdvisor(new LockedMethods(), locks);
  }

  private static final class LockedMethods extends StaticMethodMatcherPointcut {
    LockedMethods() {
      setClassFilter(type -> AnnotationUtils.isCandidateClass(type, Locked.class));
    }

    @Override
    public boolean matches(Method method, Class<?> type) {
      return LockedInterceptor.annotation(method, type) != null;
    }
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    AnnotatedMethods.check(
        bean,
        Locked.class,
        (method, type) -> LockedInterceptor.annotation(method, type) != null,
        (method, type) ->
            requireNonNull(interceptor, "no bean factory was set").call(method, type));
    return super.postProcessAfterInitialization(bean, beanName);
  }
}
