package dev.sluice.spring;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.cache.GuardedCacheBuilder;
import dev.sluice.limit.Limit;
import dev.sluice.spring.SluiceProperties.CacheSettings;
import dev.sluice.text.Names;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** Makes guarded caches of what stands under {@code sluice.cache}. */
final class CacheBuilds {
  private static final String PREFIX = "sluice.cache.";
  private static final boolean JACKSON =
      ClassUtils.isPresent(
          "tools.jackson.databind.ObjectMapper", CacheBuilds.class.getClassLoader());

  private final Sluice sluice;
  private final SluiceProperties.Caching settings;
  private final BeanFactory beans;
  private final ValueTypes types;

  CacheBuilds(
      Sluice sluice, SluiceProperties.Caching settings, BeanFactory beans, ValueTypes types) {
    this.sluice = sluice;
    this.settings = settings;
    this.beans = beans;
    this.types = types;
  }

  /**
   * A cache by its name.
   *
   * @throws SettingException if a setting is wrong
   */
  GuardedCache<Object, Object> build(String name) {
    Setter set = new Setter(name);
    set.at("", () -> Names.check(name));
    GuardedCacheBuilder<Object, Object> to =
        GuardedCache.builder(sluice, name, CacheKeys::text, codec(name, set));
    set.each("ttl", CacheSettings::ttl, to::ttl);
    set.each("jitter", CacheSettings::jitter, to::jitter);
    set.each("absent-ttl", CacheSettings::absentTtl, to::absentTtl);
    set.each("near", CacheSettings::near, entries -> near(to, entries));
    set.each("near-ttl", CacheSettings::nearTtl, to::nearTtl);
    set.each("near-staleness", CacheSettings::nearStaleness, to::nearStaleness);
    set.each("guard", CacheSettings::guard, bean -> to.existsIn(filter(bean)));
    set.each("stale-on-error", CacheSettings::staleOnError, to::staleOnError);
    set.each("early-refresh", CacheSettings::earlyRefresh, to::earlyRefresh);
    set.each("soft-timeout", CacheSettings::softTimeout, to::softTimeout);
    set.each("hard-timeout", CacheSettings::hardTimeout, to::hardTimeout);
    set.each("consistency", CacheSettings::consistency, to::consistency);
    set.each("serial", CacheSettings::serial, wanted -> serial(to, wanted));
    set.each("deadline", CacheSettings::deadline, to::deadline);
    set.each("fill-lease", CacheSettings::fillLease, to::fillLease);
    set.each("intent", CacheSettings::intent, to::intent);
    set.each("fallback", CacheSettings::fallback, text -> to.fallback(Limit.parse(text)));
    return set.at("", to::build);
  }

  private static void near(GuardedCacheBuilder<?, ?> to, long entries) {
    if (entries != 0) {
      to.near(entries);
    }
  }

  private static void serial(GuardedCacheBuilder<?, ?> to, boolean wanted) {
    if (wanted) {
      to.serial();
    }
  }

  private Codec<Object> codec(String name, Setter set) {
    Codec<?>[] found = {null};
    set.each("codec", CacheSettings::codec, bean -> found[0] = bean(bean, Codec.class));
    if (found[0] == null && !JACKSON) {
      throw new SettingException(
          PREFIX + "caches." + name, "needs a codec: there is no Jackson 3 to write JSON with");
    }
    if (found[0] == null) {
      JsonValues json = new JsonValues(name, beans, types);
      set.each("type", CacheSettings::type, json::declare);
      found[0] = json;
    }
    @SuppressWarnings("unchecked") // whoever names the bean says that it knows these values
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

  /** Hands the settings of one cache on, its own before the defaults, and says which is wrong. */
  private final class Setter {
    private final String name;
    private final @Nullable CacheSettings own;

    Setter(String name) {
      this.name = name;
      this.own = settings.caches().get(name);
    }

    <T> void each(
        String setting, Function<CacheSettings, @Nullable T> part, Consumer<? super T> setter) {
      T mine = own == null ? null : part.apply(own);
      T value = mine == null ? part.apply(settings.defaults()) : mine;
      if (value != null) {
        at(
            mine == null ? "defaults." + setting : "caches." + name + "." + setting,
            () -> {
              setter.accept(value);
              return name;
            });
      }
    }

    <T> T at(String place, Supplier<T> value) {
      try {
        return value.get();
      } catch (IllegalArgumentException | UnsupportedOperationException e) {
        String where = place.isEmpty() ? "caches." + name : place;
        throw new SettingException(PREFIX + where, String.valueOf(e.getMessage()));
      }
    }
  }
}
