package dev.sluice.spring.cache;

import static java.time.temporal.ChronoUnit.DAYS;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.limit.Limit;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.SluiceProperties.CacheSettings;
import dev.sluice.spring.cache.CacheDeclarations.Declared;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.text.Names;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.ClassUtils;

/** Creates guarded caches from {@code sluice.cache} and from annotated methods. */
final class CacheBuilds {
  private static final String PREFIX = "sluice.cache.";
  private static final boolean JACKSON =
      ClassUtils.isPresent(
          "tools.jackson.databind.ObjectMapper", CacheBuilds.class.getClassLoader());

  private final Sluice sluice;
  private final SluiceProperties.Caching settings;
  private final BeanFactory beans;
  private final ValueTypes types;
  private final CacheDeclarations declarations;

  CacheBuilds(
      Sluice sluice,
      SluiceProperties.Caching settings,
      BeanFactory beans,
      ValueTypes types,
      CacheDeclarations declarations) {
    this.sluice = sluice;
    this.settings = settings;
    this.beans = beans;
    this.types = types;
    this.declarations = declarations;
  }

  /** {@return the caches of properties or methods} */
  Set<String> names() {
    Set<String> all = declarations.names();
    all.addAll(settings.caches().keySet());
    return all;
  }

  /**
   * A cache by its name.
   *
   * @throws SettingException if a setting is wrong
   */
  GuardedCache<Object, Object> build(String name) {
    Setter set = new Setter(name);
    set.whole(() -> Names.check(name));
    OptionSetter to = new OptionSetter(set, CacheOptions.of(KeyText::text, codec(name, set)));
    to.each("ttl", CacheSettings::ttl, (options, ttl) -> options.ttl(ttl));
    to.each("jitter", CacheSettings::jitter, (options, share) -> options.jitter(share));
    to.each("absent-ttl", CacheSettings::absentTtl, (options, ttl) -> options.absentTtl(ttl));
    to.each(
        "near",
        CacheSettings::near,
        (options, entries) -> entries == 0 ? options : options.near(entries));
    to.each("near-ttl", CacheSettings::nearTtl, (options, ttl) -> options.nearTtl(ttl));
    to.each(
        "near-staleness",
        CacheSettings::nearStaleness,
        (options, bound) -> options.nearStaleness(bound));
    to.each("guard", CacheSettings::guard, (options, bean) -> options.existsIn(filter(bean)));
    to.each(
        "stale-on-error",
        CacheSettings::staleOnError,
        (options, stale) -> options.staleOnError(stale));
    to.each(
        "early-refresh",
        CacheSettings::earlyRefresh,
        (options, part) -> options.earlyRefresh(part));
    to.each(
        "soft-timeout", CacheSettings::softTimeout, (options, time) -> options.softTimeout(time));
    to.each(
        "hard-timeout", CacheSettings::hardTimeout, (options, time) -> options.hardTimeout(time));
    to.each(
        "consistency",
        CacheSettings::consistency,
        (options, chosen) -> options.consistency(chosen));
    to.each(
        "serial", CacheSettings::serial, (options, wanted) -> wanted ? options.serial() : options);
    to.each("deadline", CacheSettings::deadline, (options, time) -> options.deadline(time));
    to.each("fill-lease", CacheSettings::fillLease, (options, lease) -> options.fillLease(lease));
    to.each("intent", CacheSettings::intent, (options, intent) -> options.intent(intent));
    to.each(
        "fallback",
        CacheSettings::fallback,
        (options, text) -> options.fallback(Limit.parse(text)));
    GuardedCache<Object, Object> cache =
        set.whole(() -> GuardedCache.create(sluice, name, to.options));
    declarations.use(name, set.used);
    return cache;
  }

  /** Changes the options of one cache. */
  private static final class OptionSetter {
    private final Setter set;
    private CacheOptions<Object, Object> options;

    OptionSetter(Setter set, CacheOptions<Object, Object> options) {
      this.set = set;
      this.options = options;
    }

    <T> void each(
        String setting,
        Function<CacheSettings, @Nullable T> part,
        BiFunction<CacheOptions<Object, Object>, T, CacheOptions<Object, Object>> change) {
      set.each(setting, part, (T value) -> options = change.apply(options, value));
    }
  }

  private Codec<Object> codec(String name, Setter set) {
    Codec<?>[] found = {null};
    set.each("codec", CacheSettings::codec, bean -> found[0] = bean(bean, Codec.class));
    if (found[0] == null && !JACKSON) {
      throw new SettingException(
          PREFIX + "caches." + name,
          "needs a codec, or Jackson 3 for JSON: add spring-boot-starter-jackson");
    }
    if (found[0] == null) {
      JsonValues json = new JsonValues(name, beans, types);
      set.each("type", CacheSettings::type, json::declare);
      found[0] = json;
    }
    // the setting that names the bean asserts that it fits these values
    @SuppressWarnings("unchecked")
    Codec<Object> codec = (Codec<Object>) found[0];
    return codec;
  }

  @SuppressWarnings("unchecked") // as for the codec
  private BloomFilter<Object> filter(String bean) {
    return (BloomFilter<Object>) bean(bean, BloomFilter.class);
  }

  private <T> T bean(String name, Class<T> type) {
    try {
      return beans.getBean(name, type);
    } catch (BeansException e) {
      throw new IllegalArgumentException(
          "no bean '" + name + "' of type " + type.getSimpleName(), e);
    }
  }

  /**
   * Applies the settings of one cache: its own before those of methods, and these before the
   * defaults. Names the place of a wrong one.
   */
  private final class Setter {
    private final String name;
    private final @Nullable CacheSettings own;
    private final Map<String, Declared> methods;
    private final Map<String, Declared> used = new LinkedHashMap<>();

    Setter(String name) {
      this.name = name;
      this.own = settings.caches().get(name);
      this.methods = declarations.of(name);
    }

    <T> void each(
        String setting, Function<CacheSettings, @Nullable T> part, Consumer<? super T> setter) {
      T mine = own == null ? null : part.apply(own);
      T common = part.apply(settings.defaults());
      Declared method = methods.get(setting);
      Declared property =
          mine == null ? null : declared(mine, PREFIX + "caches." + name + "." + setting);
      if (property != null && method != null && !property.value().equals(method.value())) {
        throw CacheDeclarations.disagreement(name, setting, property, method);
      }
      Declared chosen = property == null ? method : property;
      if (chosen == null && common != null) {
        chosen = declared(common, PREFIX + "defaults." + setting);
      }
      if (chosen != null) {
        used.put(setting, chosen);
        @SuppressWarnings("unchecked") // a method's value has the type that the property has
        T value = (T) chosen.value();
        check(
            chosen.place(),
            () -> {
              setter.accept(value);
              return name;
            });
      }
    }

    private static Declared declared(Object value, String place) {
      return new Declared(value, value instanceof Duration time ? text(time) : value + "", place);
    }

    private static String text(Duration time) {
      for (ChronoUnit unit : List.of(DAYS, HOURS, MINUTES, SECONDS)) {
        if (!time.isZero() && time.toNanos() % unit.getDuration().toNanos() == 0) {
          return DurationStyle.SIMPLE.print(time, unit);
        }
      }
      return DurationStyle.SIMPLE.print(time, MILLIS);
    }

    /** Checks the settings of the whole cache. */
    <T> T whole(Supplier<T> value) {
      String place =
          own != null || methods.isEmpty()
              ? PREFIX + "caches." + name
              : methods.values().iterator().next().place();
      return check(place, value);
    }

    private static <T> T check(String place, Supplier<T> value) {
      try {
        return value.get();
      } catch (IllegalArgumentException | UnsupportedOperationException e) {
        throw new SettingException(place, String.valueOf(e.getMessage()));
      }
    }
  }
}
