package dev.sluice.spring.http;

import dev.sluice.limit.RateLimiter;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.internal.PermitCost;
import dev.sluice.spring.internal.RulePath;
import dev.sluice.spring.internal.RulesCondition;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.spring.limit.RateLimitAutoConfiguration;
import dev.sluice.spring.limit.RateLimiters;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Adds the filter of {@code sluice.http.rules} to a servlet application, and in Spring MVC the
 * handlers of Sluice's exceptions.
 *
 * @since 0.1
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Filter.class)
@ConditionalOnBean(RateLimiters.class)
public final class RateLimitHttpAutoConfiguration {
  private static final String PREFIX = "sluice.http.";

  @Bean
  @ConditionalOnMissingBean(name = "sluiceRateLimitFilter")
  @Conditional(RulesExist.class)
  FilterRegistrationBean<RateLimitFilter> sluiceRateLimitFilter(
      SluiceProperties properties,
      RateLimiters limiters,
      BeanFactory beans,
      Environment environment) {
    SluiceProperties.Http http = properties.http();
    checkProxies(http, environment);
    TrustedProxies proxies =
        SettingException.at(
            PREFIX + "trusted-proxies", () -> new TrustedProxies(http.trustedProxies()));
    ClientAddress addresses =
        SettingException.at(
            PREFIX + "ipv6-prefix",
            () -> new ClientAddress(proxies, http.addressHeader(), http.ipv6Prefix()));
    RequestKeys keys =
        new RequestKeys(
            addresses,
            name ->
                beans.containsBean(name) && beans.isTypeMatch(name, RateLimitKeyResolver.class)
                    ? beans.getBean(name, RateLimitKeyResolver.class)
                    : null);
    List<RateLimitFilter.Rule> rules = new ArrayList<>();
    for (SluiceProperties.Http.Rule rule : http.rules()) {
      rules.add(rule(PREFIX + "rules[" + rules.size() + "]", rule, limiters, keys));
    }
    FilterRegistrationBean<RateLimitFilter> registration =
        new FilterRegistrationBean<>(new RateLimitFilter(rules, http.rateLimitHeaders()));
    registration.setOrder(http.order());
    return registration;
  }

  /** Spring assumes a proxy, whose address must be known to find the client. */
  private static void checkProxies(SluiceProperties.Http http, Environment environment) {
    if (http.trustedProxies().isEmpty()
        && environment
            .getProperty("server.forward-headers-strategy", "")
            .equalsIgnoreCase("framework")
        && http.rules().stream().anyMatch(rule -> RequestKeys.mayBeAddress(rule.key()))) {
      throw new SettingException(
          PREFIX + "trusted-proxies",
          "must name the proxies, such as 10.0.0.0/8, since"
              + " server.forward-headers-strategy=framework says that there are some: else all"
              + " clients have the address of the proxy");
    }
  }

  private static RateLimitFilter.Rule rule(
      String place, SluiceProperties.Http.Rule rule, RateLimiters limiters, RequestKeys keys) {
    PathPattern path = RulePath.of(place + ".path", rule.path());
    RateLimiter limiter =
        SettingException.at(place + ".limiter", () -> limiters.get(rule.limiter()));
    RateLimitKeyResolver key = SettingException.at(place + ".key", () -> keys.of(rule.key()));
    PermitCost.check(place + ".cost", limiter, rule.cost());
    return new RateLimitFilter.Rule(path, limiter, key, rule.cost());
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(DispatcherServlet.class)
  static class Mvc {
    @Bean
    RateLimitedAdvice rateLimitedAdvice(RateLimiters limiters) {
      return new RateLimitedAdvice(limiters);
    }

    @Bean
    FailureAdvice sluiceFailureAdvice() {
      return new FailureAdvice();
    }
  }

  /** Matches if the settings contain a rule, complete or not. */
  static final class RulesExist extends RulesCondition {
    RulesExist() {
      super(PREFIX + "rules");
    }
  }
}
