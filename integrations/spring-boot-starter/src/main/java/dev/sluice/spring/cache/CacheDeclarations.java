package dev.sluice.spring.cache;

import dev.sluice.spring.internal.SettingException;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** The settings of {@link GuardedCacheable} methods, by the cache. Safe for use by many threads. */
final class CacheDeclarations {
  /**
   * A value of one setting.
   *
   * @param value of the type that the property has
   * @param text as it was written
   * @param place the property, or the class and method of the annotation
   */
  record Declared(Object value, String text, String place) {}

  private final UnaryOperator<String> placeholders;
  // guarded by this
  private final Map<String, Map<String, Declared>> byCache = new HashMap<>();
  private final Map<String, Map<String, Declared>> inUse = new HashMap<>();

  CacheDeclarations(UnaryOperator<String> placeholders) {
    this.placeholders = placeholders;
  }

  static @Nullable GuardedCacheable annotation(Method method, Class<?> type) {
    return AnnotatedElementUtils.findMergedAnnotation(
        AopUtils.getMostSpecificMethod(method, type), GuardedCacheable.class);
  }

  static String place(Method method, Class<?> type) {
    return "@GuardedCacheable at "
        + ClassUtils.getUserClass(type).getSimpleName()
        + "."
        + method.getName();
  }

  /**
   * Adds the settings of a method, if there are any.
   *
   * @param operations what Spring read from the method
   * @throws SettingException if a value cannot be read, or if the cache has another one
   */
  void add(Method method, Class<?> type, Collection<CacheOperation> operations) {
    GuardedCacheable annotation = annotation(method, type);
    if (annotation == null) {
      return;
    }
    Map<String, Declared> settings = new Reader(place(method, type)).read(annotation);
    Set<String> names = new LinkedHashSet<>(List.of(annotation.cacheNames()));
    if (names.isEmpty()) { // those of @CacheConfig
      names =
          operations.stream()
              .filter(CacheableOperation.class::isInstance)
              .flatMap(operation -> operation.getCacheNames().stream())
              .collect(Collectors.toSet());
    }
    names.forEach(name -> add(name, settings));
  }

  private synchronized void add(String cache, Map<String, Declared> settings) {
    Map<String, Declared> known = byCache.computeIfAbsent(cache, name -> new LinkedHashMap<>());
    Map<String, Declared> used = inUse.get(cache);
    settings.forEach(
        (setting, mine) -> {
          Declared other = used == null ? known.get(setting) : used.get(setting);
          if (other != null && !other.value().equals(mine.value())) {
            throw disagreement(cache, setting, mine, other);
          }
          if (other == null && used != null) {
            throw new SettingException(
                mine.place(),
                "cache '%s' cannot get %s = %s, because it was used before this method was known: set sluice.cache.caches.%s.%s"
                    .formatted(cache, attribute(setting), mine.text(), cache, setting));
          }
        });
    settings.forEach(known::putIfAbsent);
  }

  /** {@return the failure of a start in which one setting of a cache has two values} */
  static SettingException disagreement(
      String cache, String setting, Declared mine, Declared other) {
    return new SettingException(
        mine.place(),
        "cache '%s' cannot have %s = %s, because it has %s = %s by %s: set one value, or the same one at both places"
            .formatted(
                cache,
                attribute(setting),
                mine.text(),
                attribute(setting),
                other.text(),
                other.place()));
  }

  private static String attribute(String setting) {
    StringBuilder name = new StringBuilder();
    for (String word : setting.split("-", -1)) {
      name.append(
          name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return name.toString();
  }

  /** {@return the caches that methods name or configure, sorted; a copy} */
  synchronized Set<String> names() {
    return new TreeSet<>(byCache.keySet());
  }

  /** {@return the settings that methods give a cache, by the names of the properties; a copy} */
  synchronized Map<String, Declared> of(String cache) {
    return new LinkedHashMap<>(byCache.getOrDefault(cache, Map.of()));
  }

  /** Sets the settings of a cache. */
  synchronized void use(String cache, Map<String, Declared> settings) {
    inUse.put(cache, settings);
  }

  /** Reads the attributes of one annotation. */
  private final class Reader {
    private final String place;
    private final Map<String, Declared> settings = new LinkedHashMap<>();

    Reader(String place) {
      this.place = place;
    }

    Map<String, Declared> read(GuardedCacheable from) {
      duration("ttl", from.ttl());
      one("jitter", from.jitter());
      duration("absent-ttl", from.absentTtl());
      one("near", from.near());
      duration("near-ttl", from.nearTtl());
      duration("near-staleness", from.nearStaleness());
      text("guard", from.guard());
      duration("stale-on-error", from.staleOnError());
      one("early-refresh", from.earlyRefresh());
      duration("soft-timeout", from.softTimeout());
      duration("hard-timeout", from.hardTimeout());
      one("consistency", from.consistency());
      one("serial", from.serial());
      duration("deadline", from.deadline());
      duration("fill-lease", from.fillLease());
      duration("intent", from.intent());
      text("fallback", from.fallback());
      text("codec", from.codec());
      return settings;
    }

    private String resolved(String text) {
      try {
        return placeholders.apply(text);
      } catch (IllegalArgumentException e) { // a placeholder that nothing fills
        throw new SettingException(place, String.valueOf(e.getMessage()));
      }
    }

    private void text(String setting, String text) {
      String value = resolved(text);
      if (!value.isEmpty()) {
        settings.put(setting, new Declared(value, value, place));
      }
    }

    private void duration(String setting, String text) {
      String value = resolved(text);
      if (value.isEmpty()) {
        return;
      }
      try {
        Duration time = DurationStyle.detectAndParse(value);
        settings.put(setting, new Declared(time, value, place));
      } catch (IllegalArgumentException | ArithmeticException e) {
        throw new SettingException(
            place,
            attribute(setting)
                + " must be a duration such as 500ms, 10m or PT10M: '"
                + value
                + "'");
      }
    }

    /** An array attribute, which can be unset. */
    private void one(String setting, Object values) {
      int count = Array.getLength(values);
      if (count > 1) {
        throw new SettingException(
            place, attribute(setting) + " must have one value at most, and has " + count);
      }
      if (count == 1) {
        Object value = Array.get(values, 0);
        settings.put(setting, new Declared(value, value.toString(), place));
      }
    }
  }
}
