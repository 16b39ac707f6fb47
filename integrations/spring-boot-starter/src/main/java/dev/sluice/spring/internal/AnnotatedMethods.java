package dev.sluice.spring.internal;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * The methods of a bean that carry an annotation of Sluice.
 *
 * @since 0.1
 */
public final class AnnotatedMethods {
  private AnnotatedMethods() {}

  /**
   * Checks the annotated methods while the bean is created.
   *
   * @param carries whether a method of a class carries the annotation, by itself or by its class
   * @param settings checks what the annotation says
   * @throws SettingException if a method is out of a proxy's reach
   */
  public static void check(
      Object bean,
      Class<? extends Annotation> annotation,
      BiPredicate<Method, Class<?>> carries,
      BiConsumer<Method, Class<?>> settings) {
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    if (!AnnotationUtils.isCandidateClass(type, annotation)) {
      return;
    }
    for (Method method :
        MethodIntrospector.selectMethods(type, (Method each) -> carries.test(each, type))) {
      int modifiers = method.getModifiers();
      if (Modifier.isPrivate(modifiers)
          || Modifier.isFinal(modifiers)
          || Modifier.isStatic(modifiers)) {
        String where = ClassUtils.getUserClass(type).getSimpleName() + "." + method.getName();
        throw new SettingException(
            "@" + annotation.getSimpleName() + " at " + where,
            "a private, final or static method is out of a proxy's reach");
      }
      settings.accept(method, type);
    }
  }
}
