package dev.sluice.spring;

import dev.sluice.spring.internal.SluiceStartException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Fails the start on an unsupported version of Spring Boot. There the application's Redis and its
 * DataSource have other classes, so that the starter would not find them, and locks would be in the
 * memory of each process. Uses no class that only Spring Boot 4 has.
 *
 * @param found the version of Spring Boot; null if unknown
 */
record BootVersion(@Nullable String found) implements BeanFactoryPostProcessor {
  private static final int NEEDED = 4;

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    if (found != null && found.matches("[0-3]\\..*")) {
      throw new SluiceStartException(
          "sluice-spring-boot-starter needs Spring Boot %d, and this is Spring Boot %s: the starter does not find its Redis and its DataSource"
              .formatted(NEEDED, found),
          "Move to Spring Boot %d, or leave sluice-spring-boot-starter out and define a bean of type Sluice, as in Sluice.connect(url)."
              .formatted(NEEDED));
    }
  }
}
