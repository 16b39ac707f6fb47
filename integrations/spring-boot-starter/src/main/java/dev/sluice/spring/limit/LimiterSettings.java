package dev.sluice.spring.limit;

import dev.sluice.limit.Limit;
import dev.sluice.limit.LimitPlans;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Converts the settings under {@code sluice.limiters} to policies. */
final class LimiterSettings {
  private static final String PREFIX = "sluice.limiters";
  private static final String LOCAL_SHARE = "local-share:";

  private LimiterSettings() {}

  /** {@return the policies by name, from the present environment} */
  static Map<String, RateLimiterOptions> read(
      Environment environment, @Nullable LimitPlans planOf) {
    Map<String, SluiceProperties.Limiter> found =
        Binder.get(environment)
            .bind(PREFIX, Bindable.mapOf(String.class, SluiceProperties.Limiter.class))
            .orElse(Map.of());
    Map<String, RateLimiterOptions> policies = new LinkedHashMap<>();
    found.forEach((name, settings) -> policies.put(name, policy(name, settings, planOf)));
    return policies;
  }

  private static RateLimiterOptions policy(
      String name, SluiceProperties.Limiter settings, @Nullable LimitPlans planOf) {
    String place = PREFIX + "." + name;
    at(place, () -> Names.check(name));
    if (planOf == null && !settings.plans().isEmpty()) {
      throw new SettingException(place + ".plans", "needs a bean of type LimitPlans");
    }
    Map<String, List<Limit>> overrides = others(place + ".overrides.", settings.overrides());
    Map<String, List<Limit>> plans = others(place + ".plans.", settings.plans());
    List<Limit> limits = limits(place + ".limits", settings.limits());
    Outage outage = at(place + ".outage", () -> outage(settings.outage()));
    return at(
        place,
        () -> {
          RateLimiterOptions policy =
              RateLimiterOptions.of(limits)
                  .version(settings.version(), settings.carryOver())
                  .overrides(overrides)
                  .plans(plans)
                  .outage(outage)
                  .deadline(settings.deadline());
          if (planOf != null) { // with the policy book any limiter may get plans
            policy = policy.planOf(planOf);
          }
          return settings.leasing() ? policy.leasing() : policy;
        });
  }

  private static Map<String, List<Limit>> others(String place, Map<String, List<String>> settings) {
    Map<String, List<Limit>> others = new LinkedHashMap<>();
    settings.forEach((name, texts) -> others.put(name, limits(place + name, texts)));
    return others;
  }

  private static List<Limit> limits(String place, List<String> texts) {
    List<Limit> limits = new ArrayList<>();
    for (String text : texts) {
      limits.add(at(place + "[" + limits.size() + "]", () -> Limit.parse(text)));
    }
    return limits;
  }

  private static Outage outage(String text) {
    String word = text.strip().toLowerCase(Locale.ROOT);
    if (word.equals("open")) {
      return Outage.open();
    }
    if (word.equals("closed")) {
      return Outage.closed();
    }
    if (word.startsWith(LOCAL_SHARE) && word.substring(LOCAL_SHARE.length()).matches("\\d{1,6}")) {
      return Outage.localShare(Integer.parseInt(word.substring(LOCAL_SHARE.length())));
    }
    throw new IllegalArgumentException("must be open, closed or local-share:N: '" + text + "'");
  }

  private static <T> T at(String place, Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw new SettingException(place, String.valueOf(e.getMessage()));
    }
  }
}
