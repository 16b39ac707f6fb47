package dev.sluice.spring.fencing;

import dev.sluice.guard.Guard;
import dev.sluice.jdbc.FencedTable;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.RulePath;
import dev.sluice.spring.internal.RulesCondition;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.text.Names;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Checks the fencing tokens of HTTP requests by the rules of {@code sluice.fencing.rules}, answers
 * stale ones that a controller finds, and counts the decisions of guards.
 *
 * @since 0.1
 */
@AutoConfiguration(
    after = SluiceAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
public final class FencingAutoConfiguration {
  private static final String PREFIX = "sluice.fencing.";

  /** The filter. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnClass({Filter.class, PathPattern.class})
  @Conditional(RulesExist.class)
  @EnableConfigurationProperties(FencingProperties.class)
  static class Http {
    @Bean
    @ConditionalOnMissingBean(name = "sluiceFencingFilter")
    FilterRegistrationBean<FencingFilter> sluiceFencingFilter(
        FencingProperties properties, ListableBeanFactory beans) {
      List<FencingFilter.Rule> rules = new ArrayList<>();
      for (FencingProperties.Rule rule : properties.rules()) {
        rules.add(rule(PREFIX + "rules[" + rules.size() + "]", rule, beans));
      }
      FilterRegistrationBean<FencingFilter> registration =
          new FilterRegistrationBean<>(new FencingFilter(rules));
      registration.setOrder(properties.order());
      return registration;
    }

    private static FencingFilter.Rule rule(
        String place, FencingProperties.Rule rule, ListableBeanFactory beans) {
      PathPattern path = RulePath.of(place + ".path", rule.path());
      String resource = SettingException.at(place + ".resource", () -> resource(rule));
      Guard guard = SettingException.at(place + ".guard", () -> guard(rule.guard(), beans));
      return new FencingFilter.Rule(path, resource, guard, rule.required());
    }

    private static String resource(FencingProperties.Rule rule) {
      if (!rule.resource().isEmpty()) {
        Names.check(rule.resource());
        FencingFilter.VARIABLE
            .matcher(rule.resource())
            .results()
            .filter(variable -> !names(rule.path(), variable.group(1)))
            .findFirst()
            .ifPresent(
                variable -> {
                  throw new IllegalArgumentException(
                      "the path '" + rule.path() + "' has no variable " + variable.group());
                });
        return rule.resource();
      }
      String path = rule.path().substring(1);
      if (path.isEmpty() || path.contains("*") || path.contains("?") || path.contains(":")) {
        throw new IllegalArgumentException(
            "must be set, since the path '" + rule.path() + "' does not name one resource");
      }
      return path;
    }

    private static boolean names(String path, String variable) {
      return Pattern.compile("\\{\\*?" + variable + "[:}]").matcher(path).find();
    }

    private static Guard guard(String name, ListableBeanFactory beans) {
      Map<String, Guard> guards = beans.getBeansOfType(Guard.class);
      if (name.isEmpty() && guards.size() == 1) {
        return guards.values().iterator().next();
      }
      if (guards.isEmpty()) {
        throw new IllegalArgumentException(
            "needs a bean of type Guard: JdbcGuard, RedisGuard, or, for one instance"
                + " of the service, MemoryGuard.create(), which keeps every resource until forget");
      }
      Guard guard = guards.get(name);
      if (guard == null) {
        throw new IllegalArgumentException(
            "must be the name of a bean of type Guard, one of "
                + String.join(", ", guards.keySet())
                + ": '"
                + name
                + "'");
      }
      return guard;
    }
  }

  /** The answer to a refusal that a controller throws. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnClass({Filter.class, DispatcherServlet.class})
  static class Mvc {
    @Bean
    FencingAdvice sluiceFencingAdvice() {
      return new FencingAdvice();
    }
  }

  /** Meters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  static class Metrics {
    @Bean
    SmartInitializingSingleton sluiceGuardMetrics(
        ListableBeanFactory beans, ObjectProvider<MeterRegistry> registries) {
      return () ->
          registries.ifUnique(
              registry ->
                  beans
                      .getBeansOfType(Guard.class, false, false)
                      .forEach(
                          (name, guard) ->
                              GuardMetrics.of(name, guard, Guard::stats).bindTo(registry)));
    }
  }

  /** Meters of tables whose rows check tokens. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({MeterRegistry.class, FencedTable.class})
  static class TableMetrics {
    @Bean
    SmartInitializingSingleton sluiceFencedTableMetrics(
        ListableBeanFactory beans, ObjectProvider<MeterRegistry> registries) {
      return () ->
          registries.ifUnique(
              registry ->
                  beans
                      .getBeansOfType(FencedTable.class, false, false)
                      .forEach(
                          (name, table) ->
                              GuardMetrics.of(name, table, FencedTable::stats).bindTo(registry)));
    }
  }

  /** Matches if the settings contain a rule, complete or not. */
  static final class RulesExist extends RulesCondition {
    RulesExist() {
      super(PREFIX + "rules");
    }
  }
}
