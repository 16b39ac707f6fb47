package dev.sluice.spring.lock;

import dev.sluice.Sluice;
import dev.sluice.guard.FencingToken;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.spring.internal.KeyExpression;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.text.Names;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** One {@link Locked} method with its parsed expression and its fallback. */
final class LockedCall {
  final String place;
  final boolean async;
  final Duration wait;

  /** True once the warning was logged that the caller's transaction outlives the lock. */
  final AtomicBoolean warned = new AtomicBoolean();

  private final Method method;
  private final BeanFactory beans;
  private final String name;
  private final @Nullable KeyExpression key;
  private final LockOptions options;
  private final Locked.Busy busy;
  private final @Nullable Method fallback;

  /**
   * The argument for each parameter that takes the lease; null where the caller's argument is
   * passed.
   */
  private final @Nullable Function<Lease, Object>[] given;

  /**
   * @throws SettingException if the annotation cannot work
   */
  LockedCall(Locked annotation, Method method, Class<?> type, BeanFactory beans) {
    this.place =
        "@Locked at " + ClassUtils.getUserClass(type).getSimpleName() + "." + method.getName();
    this.method = method;
    this.beans = beans;
    this.async = checkResult(type);
    this.name = text(annotation.name());
    this.key =
        annotation.key().isEmpty()
            ? null
            : new KeyExpression(place, annotation.key(), method, beans);
    this.wait = duration("waitUpTo", annotation.waitUpTo());
    this.options = options(annotation);
    this.given = given();
    this.busy = annotation.busy();
    this.fallback = annotation.fallback().isEmpty() ? null : fallback(annotation.fallback(), type);
    checkName();
    if (wait.isNegative()) {
      throw wrong("waitUpTo must not be negative: " + annotation.waitUpTo());
    }
    if (fallback != null && busy == Locked.Busy.SKIP) {
      throw wrong("busy = SKIP and a fallback exclude each other");
    }
  }

  private SettingException wrong(String problem) {
    return new SettingException(place, problem);
  }

  private void checkName() {
    if (key == null) {
      try {
        Names.check(name);
      } catch (IllegalArgumentException e) {
        throw wrong(name.isEmpty() ? "name or key must be set" : e.getMessage() + "");
      }
    }
  }

  /** {@return whether the result is a stage} */
  private boolean checkResult(Class<?> type) {
    Class<?> result = method.getReturnType();
    if (CompletionStage.class.isAssignableFrom(result)) {
      if (result.isAssignableFrom(CompletableFuture.class)) {
        return true;
      }
      throw wrong(
          "the lock cannot be held until a "
              + result.getSimpleName()
              + " completes: return CompletionStage or CompletableFuture");
    }
    if (isReactive(result) || KotlinDetector.isSuspendingFunction(method)) {
      throw wrong(
          "the lock would be released before a reactive result is there: use"
              + " sluice.lock(...).async() in the pipeline, or return a CompletionStage");
    }
    boolean async =
        AnnotatedElementUtils.hasAnnotation(method, Async.class)
            || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    if (async || Future.class.isAssignableFrom(result)) {
      throw wrong("the lock would be released before the work is done: return a CompletableFuture");
    }
    return false;
  }

  private static boolean isReactive(Class<?> result) {
    return ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null
        || ClassUtils.getAllInterfacesForClassAsSet(result).stream()
            .map(Class::getName)
            .anyMatch(
                each ->
                    each.equals("org.reactivestreams.Publisher")
                        || each.equals("java.util.concurrent.Flow$Publisher"));
  }

  private String text(String text) {
    if (!(beans instanceof ConfigurableBeanFactory configurable)) {
      return text;
    }
    try {
      String resolved = configurable.resolveEmbeddedValue(text);
      return resolved == null ? "" : resolved;
    } catch (IllegalArgumentException e) { // a placeholder that nothing fills
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private Duration duration(String what, String text) {
    String resolved = text(text);
    try {
      return DurationStyle.detectAndParse(resolved);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw wrong(what + " must be a duration such as 500ms, 2s or PT2S: '" + resolved + "'");
    }
  }

  private LockOptions options(Locked annotation) {
    Duration ttl = duration("ttl", annotation.ttl());
    try {
      if (!annotation.renewed()) {
        if (!annotation.maxHold().isEmpty()) {
          throw wrong("maxHold bounds renewals, and renewed is false");
        }
        return LockOptions.fixed(ttl);
      }
      LockOptions renewing = LockOptions.renewing(ttl);
      return annotation.maxHold().isEmpty()
          ? renewing
          : renewing.maxHold(duration("maxHold", annotation.maxHold()));
    } catch (SettingException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  // ---- parameters ----

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of functions
  private @Nullable Function<Lease, Object>[] given() {
    return Arrays.stream(method.getParameters()).map(this::given).toArray(Function[]::new);
  }

  private @Nullable Function<Lease, Object> given(Parameter parameter) {
    Class<?> type = parameter.getType();
    if (AnnotatedElementUtils.hasAnnotation(parameter, LeaseToken.class)) {
      if (type != long.class && type != Long.class) {
        throw wrong("@LeaseToken is for a long, not for a " + type.getSimpleName());
      }
      return Lease::token;
    }
    if (type == Lease.class) {
      return lease -> lease;
    }
    return type == FencingToken.class ? FencingToken::of : null;
  }

  /** {@return the arguments of the call, including those of the lease} */
  @Nullable Object[] with(Lease lease, @Nullable Object[] arguments) {
    @Nullable Object[] all = arguments.clone();
    for (int i = 0; i < given.length; i++) {
      Function<Lease, Object> part = given[i];
      if (part != null) {
        all[i] = part.apply(lease);
      }
    }
    return all;
  }

  /** {@return the arguments of a call that got no lease} */
  private @Nullable Object[] without(@Nullable Object[] arguments) {
    @Nullable Object[] all = arguments.clone();
    for (int i = 0; i < given.length; i++) {
      if (given[i] != null) {
        all[i] = method.getParameterTypes()[i] == long.class ? (Object) 0L : null;
      }
    }
    return all;
  }

  private int[] callersParameters() {
    return IntStream.range(0, given.length).filter(i -> given[i] == null).toArray();
  }

  private Method fallback(String name, Class<?> type) {
    Class<?>[] same = method.getParameterTypes();
    Method found = ReflectionUtils.findMethod(type, name, same);
    if (found == null) {
      Class<?>[] less =
          Arrays.stream(callersParameters()).mapToObj(i -> same[i]).toArray(Class<?>[]::new);
      found = ReflectionUtils.findMethod(type, name, less);
    }
    if (found == null || !method.getReturnType().isAssignableFrom(found.getReturnType())) {
      throw wrong(
          "fallback '"
              + name
              + "' must be a method of "
              + type.getSimpleName()
              + " that takes the same parameters, with or without those of the lease, and returns "
              + method.getReturnType().getSimpleName());
    }
    ReflectionUtils.makeAccessible(found);
    return found;
  }

  // ---- a call ----

  /** {@return the lock of a call} */
  DistributedLock lock(Sluice sluice, Object target, @Nullable Object[] arguments) {
    if (key == null) {
      return sluice.lock(name, options);
    }
    String value = key.of(target, arguments);
    if (value.isEmpty()) {
      throw new IllegalArgumentException(place + ": key is empty");
    }
    return sluice.lock(name.isEmpty() ? value : name + "/" + value, options);
  }

  /** Handles a call whose wait timed out. */
  @Nullable Object refused(Object target, @Nullable Object[] arguments, LockTimeoutException why)
      throws Throwable {
    if (fallback != null) {
      @Nullable Object[] all = without(arguments);
      if (fallback.getParameterCount() < all.length) {
        all = Arrays.stream(callersParameters()).mapToObj(i -> arguments[i]).toArray();
      }
      try {
        return fallback.invoke(target, all);
      } catch (InvocationTargetException e) {
        throw e.getTargetException();
      }
    }
    if (busy == Locked.Busy.THROW) {
      throw why;
    }
    return nothing(ResolvableType.forMethodReturnType(method, target.getClass()));
  }

  private static @Nullable Object nothing(ResolvableType type) {
    Class<?> raw = type.resolve(Object.class);
    if (CompletionStage.class.isAssignableFrom(raw)) {
      return CompletableFuture.completedFuture(
          nothing(type.as(CompletionStage.class).getGeneric(0)));
    }
    if (raw == Optional.class) {
      return Optional.empty();
    }
    return raw.isPrimitive() && raw != void.class ? Array.get(Array.newInstance(raw, 1), 0) : null;
  }

  /** {@return the exception of a call whose lease was lost before it ended} */
  LeaseLostException lost(Lease lease) {
    return new LeaseLostException(
        "lock '%s' was lost before %s ended (token %d): another process may have held it"
            .formatted(lease.name(), place, lease.token()));
  }
}
