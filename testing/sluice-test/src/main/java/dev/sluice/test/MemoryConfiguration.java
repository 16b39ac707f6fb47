package dev.sluice.test;

import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Replaces all stores and clients by ones in memory, once their bean definitions are known. */
@Configuration(proxyBeanMethods = false)
class MemoryConfiguration {

  @Bean
  ManualTime sluiceTime() {
    return new ManualTime();
  }

  @Bean
  static BeanDefinitionRegistryPostProcessor sluiceInMemory() {
    return new Swap();
  }

  private static final class Swap implements BeanDefinitionRegistryPostProcessor {
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
      ConfigurableListableBeanFactory beans = (ConfigurableListableBeanFactory) registry;
      for (String name : beans.getBeanNamesForType(Backend.class, true, false)) {
        replace(registry, name, MemoryBackend.class, () -> store(beans));
      }
      for (String name : beans.getBeanNamesForType(Sluice.class, true, false)) {
        replace(registry, name, Sluice.class, () -> client(beans));
      }
    }

    private static MemoryBackend store(ConfigurableListableBeanFactory beans) {
      return new MemoryBackend(beans.getBean(ManualTime.class)::storeMicros);
    }

    /** Creates a separate store if the application has none, or one for each of several clients. */
    private static Sluice client(ConfigurableListableBeanFactory beans) {
      ManualTime time = beans.getBean(ManualTime.class);
      Backend shared = beans.getBeanProvider(Backend.class).getIfUnique(() -> store(beans));
      return Sluice.builder().backend(shared).time(time, time).build();
    }

    private static <T> void replace(
        BeanDefinitionRegistry registry, String name, Class<T> type, Supplier<T> maker) {
      boolean primary = registry.getBeanDefinition(name).isPrimary();
      registry.removeBeanDefinition(name);
      registry.registerBeanDefinition(
          name,
          BeanDefinitionBuilder.rootBeanDefinition(type, maker)
              .setPrimary(primary)
              .setDestroyMethodName("close")
              .getBeanDefinition());
    }
  }
}
