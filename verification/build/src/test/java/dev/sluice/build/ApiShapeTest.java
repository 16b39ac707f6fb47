package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.cache.GuardedCache;
import dev.sluice.guard.Guard;
import dev.sluice.inventory.Drain;
import dev.sluice.inventory.Inventory;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.limit.RateLimiter;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.MultiLock;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
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
          Drain.class,
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

  private static boolean isNamed(Method method, String name) {
    return method.getName().equals(name);
  }
}
