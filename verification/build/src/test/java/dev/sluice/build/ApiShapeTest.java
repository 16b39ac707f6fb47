package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bloom.AsyncBloomFilter;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.cache.AsyncGuardedCache;
import dev.sluice.cache.GuardedCache;
import dev.sluice.guard.Guard;
import dev.sluice.inventory.AsyncInventory;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.Inventory;
import dev.sluice.latch.AsyncLatch;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.limit.AsyncRateLimiter;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.lock.AsyncDistributedLock;
import dev.sluice.lock.AsyncLock;
import dev.sluice.lock.AsyncMultiLock;
import dev.sluice.lock.AsyncReadWriteLock;
import dev.sluice.lock.AsyncSemaphore;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.MultiLock;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The primitives use the same words for the same things. */
class ApiShapeTest {

  private static final List<Class<?>> PRIMITIVES =
      List.of(
          BloomFilter.class,
          DistributedLatch.class,
          DistributedLock.class,
          DistributedReadWriteLock.class,
          DistributedSemaphore.class,
          ClaimConsumer.class,
          GuardedCache.class,
          Guard.class,
          Inventory.class,
          LeaderElection.class,
          LeaseLock.class,
          MultiLock.class,
          RateLimiter.class);

  /** Other words for {@code info} and {@code stats}. */
  private static final Set<String> SYNONYMS =
      Set.of("count", "describe", "figures", "inspect", "leader", "look", "metrics", "status");

  /** Types whose values the compiler lets a caller swap. */
  private static final Map<Class<?>, String> NUMBERS =
      Map.of(
          int.class, "number",
          long.class, "number",
          double.class, "number",
          boolean.class, "flag",
          Duration.class, "time");

  static List<Class<?>> primitives() {
    return PRIMITIVES;
  }

  @ParameterizedTest
  @MethodSource("primitives")
  void infoAsksTheStoreAndStatsAreOfThisProcess(Class<?> primitive) {
    for (Method method : primitive.getMethods()) {
      String type = method.toGenericString().replaceFirst(" \\S+\\(.*", "");
      assertThat(type.replace(">", "").endsWith("Info") && method.getParameterCount() == 0)
          .as(method.toString())
          .isEqualTo(method.getName().equals("info"));
      assertThat(type.endsWith("Stats")).as(method.toString()).isEqualTo(isNamed(method, "stats"));
    }
    assertThat(Stream.of(primitive.getMethods()).map(Method::getName))
        .doesNotContainAnyElementsOf(SYNONYMS);
  }

  /** What needs no round trip, or runs code of the caller between two of them. */
  private static final Map<String, String> WITHOUT_A_TWIN =
      Map.ofEntries(
          Map.entry("name", "known here"),
          Map.entry("names", "known here"),
          Map.entry("options", "known here"),
          Map.entry("limitsOf", "known here"),
          Map.entry("permits", "known here"),
          Map.entry("readLock", "known here"),
          Map.entry("writeLock", "known here"),
          Map.entry("downgrade", "decided here"),
          Map.entry("stats", "counted here"),
          Map.entry("busiestKeys", "counted here"),
          Map.entry("async", "is the view"),
          Map.entry("asReentrantLock", "is a view"),
          Map.entry("drain", "starts a thread and returns"),
          Map.entry("run", "acquire, then compose the task and the release on the stage"),
          Map.entry("call", "acquire, then compose the task and the release on the stage"));

  static Map<Class<?>, Class<?>> views() {
    return Map.ofEntries(
        Map.entry(BloomFilter.class, AsyncBloomFilter.class),
        Map.entry(DistributedLatch.class, AsyncLatch.class),
        Map.entry(DistributedLock.class, AsyncDistributedLock.class),
        Map.entry(DistributedReadWriteLock.class, AsyncReadWriteLock.class),
        Map.entry(DistributedSemaphore.class, AsyncSemaphore.class),
        Map.entry(GuardedCache.class, AsyncGuardedCache.class),
        Map.entry(Inventory.class, AsyncInventory.class),
        Map.entry(LeaseLock.class, AsyncLock.class),
        Map.entry(MultiLock.class, AsyncMultiLock.class),
        Map.entry(RateLimiter.class, AsyncRateLimiter.class));
  }

  static Set<Map.Entry<Class<?>, Class<?>>> pairs() {
    return views().entrySet();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void eachBlockingVerbHasAnAsynchronousTwin(Map.Entry<Class<?>, Class<?>> pair) {
    Set<String> verbs = new TreeSet<>();
    for (Method verb : pair.getKey().getMethods()) {
      boolean local =
          WITHOUT_A_TWIN.containsKey(verb.getName())
              || isStatic(verb)
              || isPolicy(verb)
              || takesRunnable(verb);
      if (!local) {
        verbs.add(signature(verb, boxed(verb.getReturnType())));
      }
    }
    Set<String> twins = new TreeSet<>();
    for (Method twin : pair.getValue().getMethods()) {
      assertThat(twin.getReturnType()).as(twin.toString()).isEqualTo(CompletionStage.class);
      Type answer = ((ParameterizedType) twin.getGenericReturnType()).getActualTypeArguments()[0];
      twins.add(signature(twin, erased(answer)));
    }
    assertThat(twins).isEqualTo(verbs).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("primitives")
  void stagesComeFromViewsOnly(Class<?> primitive) {
    assertThat(primitive.getMethods())
        .noneMatch(method -> CompletionStage.class.isAssignableFrom(method.getReturnType()));
    if (!views().containsKey(primitive)) {
      assertThat(primitive.getMethods()).noneMatch(method -> isNamed(method, "async"));
    }
  }

  @ParameterizedTest
  @MethodSource("primitives")
  void noTwoNumbersOfOneKindStandSideBySide(Class<?> primitive) {
    for (Method method : primitive.getMethods()) {
      Class<?>[] types = method.getParameterTypes();
      for (int i = 1; i < types.length; i++) {
        assertThat(NUMBERS.containsKey(types[i]) && kind(types[i]).equals(kind(types[i - 1])))
            .as("a caller could swap parameters %d and %d of %s", i, i + 1, method)
            .isFalse();
      }
    }
  }

  private static String kind(Class<?> type) {
    return NUMBERS.getOrDefault(type, "other");
  }

  private static boolean isStatic(Method method) {
    return Modifier.isStatic(method.getModifiers());
  }

  /** {@code RateLimiter.update} changes the policy of this process. */
  private static boolean isPolicy(Method method) {
    return List.of(method.getParameterTypes()).contains(RateLimiterOptions.class);
  }

  /** {@code GuardedCache.update} without a result: a stage of nothing is a result. */
  private static boolean takesRunnable(Method method) {
    return List.of(method.getParameterTypes()).contains(Runnable.class);
  }

  private static String signature(Method method, Class<?> answer) {
    return method.getName()
        + List.of(method.getParameterTypes())
        + " -> "
        + (answer == Void.class ? "nothing" : answer.getName());
  }

  private static Class<?> boxed(Class<?> type) {
    return MethodType.methodType(type).wrap().returnType();
  }

  private static Class<?> erased(Type type) {
    if (type instanceof Class<?> plain) {
      return plain;
    }
    return type instanceof ParameterizedType of ? erased(of.getRawType()) : Object.class;
  }

  private static boolean isNamed(Method method, String name) {
    return method.getName().equals(name);
  }
}
