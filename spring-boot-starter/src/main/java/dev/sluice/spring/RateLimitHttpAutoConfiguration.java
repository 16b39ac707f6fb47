package dev.sluice.spring;

import dev.sluice.limit.RateLimiter;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Puts the filter of {@code sluice.http.rules} in front of a servlet application, and answers 429
 * for annotated methods of a Spring MVC one.
 */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Filter.class)
@ConditionalOnBean(RateLimiters.class)
public final class RateLimitHttpAutoConfiguration {
  private static final String PREFIX = "sluice.http.";

  @Bean
  @ConditionalOnMissingBean(name = "sluiceRateLimitFilter")
  @Conditional(RulesExist.class)
  FilterRegistrationBean<RateLimitFilter> sluiceRateLimitFilter(
      SluiceProperties properties, RateLimiters limiters, BeanFactory beans) {
    SluiceProperties.Http http = properties.http();
    TrustedProxies proxies = at("trusted-proxies", () -> new TrustedProxies(http.trustedProxies()));
    ClientAddress addresses =
        at(
            "ipv6-prefix",
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
      rules.add(rule("rules[" + rules.size() + "]", rule, limiters, keys));
    }
    FilterRegistrationBean<RateLimitFilter> registration =
        new FilterRegistrationBean<>(new RateLimitFilter(rules, http.rateLimitHeaders()));
    registration.setOrder(http.order());
    return registration;
  }

  private static RateLimitFilter.Rule rule(
      String place, SluiceProperties.Http.Rule rule, RateLimiters limiters, RequestKeys keys) {
    PathPattern path = at(place + ".path", () -> path(rule.path()));
    RateLimiter limiter = at(place + ".limiter", () -> limiters.get(rule.limiter()));
    RateLimitKeyResolver key = at(place + ".key", () -> keys.of(rule.key()));
    limiters.checkCost(PREFIX + place + ".cost", rule.limiter(), rule.cost());
    return new RateLimitFilter.Rule(path, limiter, key, rule.cost());
  }

  private static PathPattern path(String text) {
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("must start with '/': '" + text + "'");
    }
    return PathPatternParser.defaultInstance.parse(text);
  }

  private static <T> T at(String place, Supplier<T> value) {
    try {
      return value.get();
    } catch (RuntimeException e) { // a pattern's exception is no IllegalArgumentException
      throw new SettingException(PREFIX + place, String.valueOf(e.getMessage()));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(DispatcherServlet.class)
  static class Mvc {
    @Bean
    RateLimitedAdvice rateLimitedAdvice(RateLimiters limiters) {
      return new RateLimitedAdvice(limiters);
    }
  }

  /** Somebody wrote a rule, whole or not. */
  static final class RulesExist extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      boolean any =
          Binder.get(context.getEnvironment())
              .bind(PREFIX + "rules", Bindable.listOf(Map.class))
              .map(rules -> !rules.isEmpty())
              .orElse(false);
      ConditionMessage.Builder because = ConditionMessage.forCondition("sluice.http.rules");
      return new ConditionOutcome(any, any ? because.because("set") : because.because("not set"));
    }
  }
}
