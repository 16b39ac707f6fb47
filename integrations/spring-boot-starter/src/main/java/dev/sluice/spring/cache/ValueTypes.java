package dev.sluice.spring.cache;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * The return types of annotated methods, by the cache that keeps their values. Safe for use by many
 * threads.
 */
final class ValueTypes {
  // guarded by this
  private final Map<String, Map<Type, Method>> seen = new LinkedHashMap<>();

  synchronized void add(Method method, Class<?> target, Collection<CacheOperation> operations) {
    Type type = valueType(ResolvableType.forMethodReturnType(method, target));
    if (type == void.class || type == Void.class) {
      return;
    }
    for (CacheOperation operation : operations) {
      if (!(operation instanceof CacheEvictOperation)) {
        operation
            .getCacheNames()
            .forEach(
                cache ->
                    seen.computeIfAbsent(cache, any -> new LinkedHashMap<>())
                        .putIfAbsent(type, method));
      }
    }
  }

  /** The cached type: the content of an optional, or the result of a stage. */
  private static Type valueType(ResolvableType returned) {
    Class<?> raw = returned.resolve(Object.class);
    boolean wraps = Optional.class == raw || CompletionStage.class.isAssignableFrom(raw);
    if (wraps || isPublisher(raw)) {
      return valueType(
          CompletionStage.class.isAssignableFrom(raw)
              ? returned.as(CompletionStage.class).getGeneric(0)
              : returned.getGeneric(0));
    }
    if (!returned.hasGenerics()) {
      return ClassUtils.resolvePrimitiveIfNecessary(raw);
    }
    return isConcrete(returned.getType()) ? returned.getType() : Object.class;
  }

  private static boolean isConcrete(Type type) {
    return type instanceof ParameterizedType some
        ? Arrays.stream(some.getActualTypeArguments()).allMatch(ValueTypes::isConcrete)
        : type instanceof Class<?>;
  }

  private static boolean isPublisher(Class<?> raw) {
    for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(raw)) {
      if (type.getName().equals("org.reactivestreams.Publisher")) {
        return true;
      }
    }
    return false;
  }

  /**
   * The type of a cache's values.
   *
   * @throws IllegalStateException if methods do not say, or not the same
   */
  synchronized Type of(String cache) {
    @Nullable Map<Type, Method> types = seen.get(cache);
    if (types == null || types.containsKey(Object.class)) {
      throw new IllegalStateException(
          "cache '" + cache + "' does not know the type of its values: " + remedy(cache));
    }
    if (types.size() > 1) {
      throw new IllegalStateException(
          "cache '"
              + cache
              + "' has values of several types, by "
              + types.values()
              + ": "
              + remedy(cache));
    }
    return types.keySet().iterator().next();
  }

  private static String remedy(String cache) {
    return "set sluice.cache.caches." + cache + ".type or .codec";
  }
}
