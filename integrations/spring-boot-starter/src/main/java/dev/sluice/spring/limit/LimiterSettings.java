package dev.sluice.spring.limit;

import dev.sluice.limit.Limit;
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
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The settings under {@code sluice.limiters}, as policies. */
final class LimiterSettings {
  private static final String PREFIX = "sluice.limiters";
  private static final String LOCAL_SHARE = "local-share:";

  private LimiterSettings() {}

  /** {@return the policies by name, as the environment has them now} */
  static Map<String, RateLimiterOptions> read(Environment environment) {
    Map<String, SluiceProperties.Limiter> found =
        Binder.get(environment)
            .bind(PREFIX, Bindable.mapOf(String.class, SluiceProperties.Limiter.class))
            .orElse(Map.of());
    Map<String, RateLimiterOptions> policies = new LinkedHashMap<>();
    found.forEach((name, settings) -> policies.put(name, policy(name, settings)));
    return policies;
  }

  private static RateLimiterOptions policy(String name, SluiceProperties.Limiter settings) {
    String place = PREFIX + "." + name;
    at(place, () -> Names.check(name));
    Map<String, List<Limit>> overrides = new LinkedHashMap<>();
    settings
        .overrides()
        .forEach((key, texts) -> overrides.put(key, limits(place + ".overrides." + key, texts)));
    List<Limit> limits = limits(place + ".limits", settings.limits());
    Outage outage = at(place + ".outage", () -> outage(settings.outage()));
    return at(
        place,
        () -> {
          RateLimiterOptions policy =
              RateLimiterOptions.of(limits)
                  .version(settings.version(), settings.carryOver())
                  .overrides(overrides)
                  .outage(outage)
                  .deadline(settings.deadline());
          return settings.leasing() ? policy.leasing() : policy;
        });
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
