package dev.sluice.spring.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.Codec;
import dev.sluice.cache.Consistency;
import dev.sluice.cache.GuardedCache;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.SettingException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.annotation.CacheConfig;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.AliasFor;

/** Settings of a cache at the method. */
class GuardedCacheableTest {
  private static final String ENABLED = "sluice.cache.enabled=true";

  private final ApplicationContextRunner unasked =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PropertyPlaceholderAutoConfiguration.class,
                  SluiceAutoConfiguration.class,
                  GuardedCacheAutoConfiguration.class))
          .withUserConfiguration(Caching.class);
  private final ApplicationContextRunner runner = unasked.withPropertyValues(ENABLED);

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {}

  /** A client on time that the test moves. */
  @Configuration(proxyBeanMethods = false)
  static class Moved {
    @Bean
    ManualTime time() {
      return new ManualTime();
    }

    @Bean
    Sluice sluice(ManualTime time) {
      return Sluice.builder()
          .backend(new MemoryBackend(time::storeMicros))
          .time(time, time)
          .build();
    }
  }

  static class Products {
    final AtomicInteger queries = new AtomicInteger();

    int queries() {
      return queries.get();
    }

    @GuardedCacheable(cacheNames = "products", ttl = "10m", absentTtl = "30s", jitter = 0)
    public @Nullable String find(long id) {
      queries.incrementAndGet();
      return id == 0 ? null : "product " + id;
    }
  }

  @Test
  void theTtlOfTheMethodIsThatOfTheCache() {
    runner
        .withUserConfiguration(Moved.class)
        .withBean(Products.class)
        .withPropertyValues("sluice.cache.defaults.ttl=1s", "sluice.cache.defaults.absent-ttl=1s")
        .run(
            context -> {
              Products products = context.getBean(Products.class);
              ManualTime time = context.getBean(ManualTime.class);
              assertThat(products.find(1)).isEqualTo("product 1");
              assertThat(products.find(0)).isNull();
              time.advance(Duration.ofSeconds(29));
              products.find(1);
              products.find(0);
              assertThat(products.queries()).as("both are fresh").isEqualTo(2);
              time.advance(Duration.ofSeconds(2));
              products.find(1);
              assertThat(products.queries()).as("the value is fresh").isEqualTo(2);
              products.find(0);
              assertThat(products.queries()).as("null is not").isEqualTo(3);
              time.advance(Duration.ofMinutes(10));
              products.find(1);
              assertThat(products.queries()).as("the value is not").isEqualTo(4);
            });
  }

  static class Aliases {
    final AtomicInteger queries = new AtomicInteger();

    int queries() {
      return queries.get();
    }

    @GuardedCacheable(
        value = "words",
        key = "#word.toLowerCase()",
        condition = "#word != 'now'",
        unless = "#result == 'unknown'")
    public String explain(String word) {
      queries.incrementAndGet();
      return word.equals("x") ? "unknown" : "it is " + word;
    }

    @GuardedCacheable(cacheNames = "together", sync = true, keyGenerator = "keys")
    public String together(String word) {
      return "it is " + word;
    }
  }

  @Test
  void everyAttributeOfSpringsAnnotationWorks() {
    runner
        .withBean(Aliases.class)
        .run(
            context -> {
              Aliases words = context.getBean(Aliases.class);
              words.explain("Tea");
              assertThat(words.explain("tea")).isEqualTo("it is Tea");
              assertThat(words.queries()).isEqualTo(1);
              for (String uncached : new String[] {"now", "now", "x", "x"}) {
                words.explain(uncached);
              }
              assertThat(words.queries()).isEqualTo(5);
            });
  }

  @Test
  void springReadsSyncAndTheKeyGenerator() throws NoSuchMethodException {
    assertThat(
            new AnnotationCacheOperationSource(false)
                .getCacheOperations(
                    Aliases.class.getMethod("together", String.class), Aliases.class))
        .singleElement(InstanceOfAssertFactories.type(CacheableOperation.class))
        .returns(true, CacheableOperation::isSync)
        .returns("keys", CacheableOperation::getKeyGenerator)
        .returns(Set.of("together"), CacheableOperation::getCacheNames);
  }

  private static GuardedCache<?, ?> store(CacheManager manager, String name) {
    return (GuardedCache<?, ?>) requireNonNull(manager.getCache(name)).getNativeCache();
  }

  static class Catalogue {
    @GuardedCacheable(cacheNames = "products", ttl = "1h")
    public String load(long id) {
      return "product " + id;
    }
  }

  @Test
  void twoMethodsThatDisagreeEndTheStart() {
    assertRefused(
        runner.withBean(Products.class).withBean(Catalogue.class),
        "@GuardedCacheable at Catalogue.load: cache 'products' cannot have ttl = 1h, because it has"
            + " ttl = 10m by @GuardedCacheable at Products.find: set one value, or the same one at"
            + " both places");
  }

  private static void assertRefused(ApplicationContextRunner runner, String message) {
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
              .isInstanceOf(SettingException.class)
              .hasMessageStartingWith(message);
        });
  }

  /** Says less, and the same by other words. */
  static class Others {
    @GuardedCacheable(cacheNames = "products", ttl = "600s", near = 100)
    public String sameTtl(long id) {
      return "product " + id;
    }

    @GuardedCacheable("products")
    public String silent(long id) {
      return "product " + id;
    }

    @Cacheable("products")
    public String plain(long id) {
      return "product " + id;
    }
  }

  @Test
  void methodsThatSayLessOrTheSameAgree() {
    runner
        .withBean(Products.class)
        .withBean(Others.class)
        .withPropertyValues("sluice.cache.caches.products.ttl=PT10M")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              Products products = context.getBean(Products.class);
              products.find(7);
              assertThat(context.getBean(Others.class).silent(7)).isEqualTo("product 7");
              assertThat(products.queries()).isEqualTo(1);
            });
  }

  @Test
  void aPropertyOfTheCacheThatDisagreesEndsTheStart() {
    assertRefused(
        runner
            .withBean(Products.class)
            .withPropertyValues("sluice.cache.caches.products.ttl=3600s"),
        "sluice.cache.caches.products.ttl: cache 'products' cannot have ttl = 1h, because it has"
            + " ttl = 10m by @GuardedCacheable at Products.find");
  }

  static class Placeholders {
    @GuardedCacheable(cacheNames = "products", ttl = "${products.ttl:10m}")
    public String load(long id) {
      return "product " + id;
    }
  }

  @Test
  void textsHavePlaceholders() {
    ApplicationContextRunner both = runner.withBean(Products.class).withBean(Placeholders.class);
    both.run(context -> assertThat(context).hasNotFailed());
    assertRefused(
        both.withPropertyValues("products.ttl=5m"),
        "@GuardedCacheable at Placeholders.load: cache 'products' cannot have ttl = 5m");
  }

  @CacheConfig(cacheNames = "products")
  static class Named {
    @GuardedCacheable(ttl = "2h")
    public String load(long id) {
      return "product " + id;
    }
  }

  @Retention(RetentionPolicy.RUNTIME)
  @GuardedCacheable(cacheNames = "products", ttl = "3h")
  @interface ProductCache {
    @AliasFor(annotation = GuardedCacheable.class, attribute = "key")
    String key() default "";
  }

  static class Composed {
    @ProductCache(key = "#id")
    public String load(long id) {
      return "product " + id;
    }
  }

  @Test
  void namesOfTheClassAndComposedAnnotationsCount() {
    assertRefused(
        runner.withBean(Products.class).withBean(Named.class),
        "@GuardedCacheable at Named.load: cache 'products' cannot have ttl = 2h");
    assertRefused(
        runner.withBean(Products.class).withBean(Composed.class),
        "@GuardedCacheable at Composed.load: cache 'products' cannot have ttl = 3h");
  }

  @Test
  void aNamedCacheExistsWhereNamesAreFixed() {
    runner
        .withBean(Products.class)
        .withPropertyValues("sluice.cache.dynamic=false")
        .run(
            context -> {
              CacheManager manager = context.getBean(CacheManager.class);
              assertThat(manager.getCacheNames()).containsExactly("products");
              assertThat(manager.getCache("products")).isNotNull();
              assertThat(manager.getCache("product")).isNull();
            });
  }

  @Test
  void aMethodThatIsKnownOnlyAfterTheFirstUseEndsInAnError() {
    runner
        .withBean(Catalogue.class, Catalogue::new, bean -> bean.setLazyInit(true))
        .run(
            context -> {
              requireNonNull(context.getBean(CacheManager.class).getCache("products"));
              assertThatThrownBy(() -> context.getBean(Catalogue.class))
                  .rootCause()
                  .isInstanceOf(SettingException.class)
                  .hasMessageContaining("cannot get ttl = 1h, because it was used before")
                  .hasMessageContaining("set sluice.cache.caches.products.ttl");
            });
    runner
        .withBean(Catalogue.class, Catalogue::new, bean -> bean.setLazyInit(true))
        .withPropertyValues("sluice.cache.caches.products.ttl=1h")
        .run(context -> assertThat(context.getBean(Catalogue.class).load(1)).isNotNull());
  }

  @Test
  void aCacheManagerThatWouldIgnoreTheSettingsEndsTheStart() {
    String message = "@GuardedCacheable at Products.find: needs Sluice's cache manager";
    assertRefused(
        unasked
            .withBean(Products.class)
            .withBean("cacheManager", CacheManager.class, ConcurrentMapCacheManager::new),
        message);
    assertRefused(
        runner
            .withBean(Products.class)
            .withBean("mine", CacheManager.class, ConcurrentMapCacheManager::new),
        message);
    for (String off : new String[] {"sluice.cache.enabled=false", "sluice.enabled=false"}) {
      unasked
          .withBean(Products.class)
          .withBean("cacheManager", CacheManager.class, ConcurrentMapCacheManager::new)
          .withPropertyValues(off)
          .run(context -> assertThat(context).as(off).hasNotFailed());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Full {
    @Bean
    Codec<String> words() {
      return Codec.utf8();
    }

    @Bean
    BloomFilter<String> ids(Sluice sluice) {
      BloomFilter<String> ids =
          sluice.bloomFilter("ids", Funnel.utf8(), BloomSpec.of(1_000, 0.001));
      ids.create();
      return ids;
    }

    @GuardedCacheable(
        cacheNames = "full",
        ttl = "5m",
        jitter = 0.2,
        absentTtl = "0s",
        near = 100,
        nearTtl = "10s",
        nearStaleness = "500ms",
        guard = "ids",
        staleOnError = "1h",
        earlyRefresh = 0.2,
        softTimeout = "50ms",
        hardTimeout = "5s",
        consistency = Consistency.EVENTUAL,
        serial = true,
        deadline = "200ms",
        fillLease = "2s",
        intent = "20s",
        fallback = "token-bucket 10/s",
        codec = "words",
        sync = true)
    public @Nullable String load(String id) {
      return "is not asked";
    }
  }

  @Test
  void everySettingCanBeGiven() {
    runner
        .withUserConfiguration(Full.class)
        .run(
            context -> {
              assertThat(context.getBean(Full.class).load("unknown")).isNull();
              GuardedCache<?, ?> store = store(context.getBean(CacheManager.class), "full");
              assertThat(store.stats().guarded()).as("by the Bloom filter").isEqualTo(1);
            });
  }

  static class Ttl {
    @GuardedCacheable(cacheNames = "c", ttl = "often")
    public void m() {}
  }

  static class Jitter {
    @GuardedCacheable(cacheNames = "c", jitter = 1)
    public void m() {}
  }

  static class TwoNumbers {
    @GuardedCacheable(
        cacheNames = "c",
        near = {1, 2})
    public void m() {}
  }

  static class Absent {
    @GuardedCacheable(cacheNames = "c", absentTtl = "6m")
    public void m() {}
  }

  static class Near {
    @GuardedCacheable(cacheNames = "c", near = -1)
    public void m() {}
  }

  static class NearTtl {
    @GuardedCacheable(cacheNames = "c", nearTtl = "0s")
    public void m() {}
  }

  static class NearStaleness {
    @GuardedCacheable(cacheNames = "c", nearStaleness = "2m")
    public void m() {}
  }

  static class Guard {
    @GuardedCacheable(cacheNames = "c", guard = "gone")
    public void m() {}
  }

  static class CodecName {
    @GuardedCacheable(cacheNames = "c", codec = "gone")
    public void m() {}
  }

  static class Fallback {
    @GuardedCacheable(cacheNames = "c", fallback = "sometimes")
    public void m() {}
  }

  static class Soft {
    @GuardedCacheable(cacheNames = "c", softTimeout = "1s")
    public void m() {}
  }

  static class Unfilled {
    @GuardedCacheable(cacheNames = "c", ttl = "${gone}")
    public void m() {}
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of(Ttl.class, "ttl must be a duration such as 500ms, 10m or PT10M: 'often'"),
        Arguments.of(Jitter.class, "jitter must be 0 to 0.9"),
        Arguments.of(TwoNumbers.class, "near must have one value at most, and has 2"),
        Arguments.of(Absent.class, "absentTtl must be"),
        Arguments.of(Near.class, "near must be 1 to 10^9"),
        Arguments.of(NearTtl.class, "nearTtl must be"),
        Arguments.of(NearStaleness.class, "nearStaleness must be"),
        Arguments.of(Guard.class, "no bean 'gone' of type BloomFilter"),
        Arguments.of(CodecName.class, "no bean 'gone' of type Codec"),
        Arguments.of(Fallback.class, ""),
        Arguments.of(Soft.class, "softTimeout needs staleOnError"),
        Arguments.of(Unfilled.class, "Could not resolve placeholder 'gone'"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void aWrongValueEndsTheStartAndItsMethodIsNamed(Class<?> bean, String problem) {
    assertRefused(
        runner.withBean(bean), "@GuardedCacheable at " + bean.getSimpleName() + ".m: " + problem);
  }
}
