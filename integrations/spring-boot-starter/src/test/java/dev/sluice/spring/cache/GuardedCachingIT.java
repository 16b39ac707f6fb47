package dev.sluice.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cache.CacheStats;
import dev.sluice.cache.GuardedCache;
import dev.sluice.servers.RedisServer;
import dev.sluice.spring.SluiceAutoConfiguration;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Methods with Spring's cache annotations, over guarded caches. */
class GuardedCachingIT {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class, GuardedCacheAutoConfiguration.class))
          .withUserConfiguration(App.class)
          .withPropertyValues("sluice.cache.enabled=true");

  record Product(long id, String name) {}

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class App {
    @Bean
    Shop shop(@Lazy Shop self) {
      return new Shop(self);
    }
  }

  /** A catalogue in front of a map that is the database. */
  static class Shop {
    final Map<Long, Product> rows = new ConcurrentHashMap<>();
    final AtomicInteger queries = new AtomicInteger();
    volatile Runnable meanwhile = () -> {};
    private final Shop self;

    Shop(Shop self) {
      this.self = self;
      rows.put(1L, new Product(1, "tea"));
      rows.put(2L, new Product(2, "cup"));
    }

    /** Proxies see no fields. */
    Map<Long, Product> rows() {
      return rows;
    }

    int queries() {
      return queries.get();
    }

    void meanwhile(Runnable task) {
      meanwhile = task;
    }

    private @Nullable Product read(long id) {
      queries.incrementAndGet();
      Product found = rows.get(id);
      Runnable task = meanwhile;
      meanwhile = () -> {};
      task.run();
      return found;
    }

    @Cacheable("products")
    @Nullable Product find(long id) {
      return read(id);
    }

    @Cacheable(cacheNames = "products", sync = true)
    @Nullable Product findTogether(long id) {
      return read(id);
    }

    @Cacheable(cacheNames = "products", unless = "#result.name == 'cup'")
    @Nullable Product findUnlessCup(long id) {
      return read(id);
    }

    @Cacheable("products")
    Product failing(long id) {
      queries.incrementAndGet();
      throw new IllegalStateException("no database");
    }

    @Cacheable(cacheNames = "products", sync = true)
    Product failingTogether(long id) {
      throw new IllegalStateException("no database");
    }

    @Cacheable({"products", "copies"})
    @Nullable Product findInTwo(long id) {
      return read(id);
    }

    @Cacheable("products")
    @Nullable Product findThroughItself(long id) {
      return self.find(id);
    }

    @Cacheable("products")
    @Nullable Product findThroughItselfTogether(long id) {
      return self.findTogether(id);
    }

    @Cacheable("names")
    Optional<String> name(long id) {
      return Optional.ofNullable(read(id)).map(Product::name);
    }

    @Cacheable("lists")
    List<Product> list(String kind, int page) {
      queries.incrementAndGet();
      return List.copyOf(rows.values());
    }

    @Cacheable(cacheNames = "later", sync = true)
    CompletableFuture<Product> later(long id) {
      return CompletableFuture.supplyAsync(() -> read(id));
    }

    @Cacheable("later")
    CompletableFuture<Product> laterWithoutSync(long id) {
      return CompletableFuture.supplyAsync(() -> read(id));
    }

    @Cacheable("words")
    Object anything(long id) {
      return "word";
    }

    @CacheEvict(cacheNames = "products", key = "#product.id")
    void save(Product product) {
      rows.put(product.id(), product);
    }

    @CachePut(cacheNames = "products", key = "#product.id")
    Product saveAndKeep(Product product) {
      rows.put(product.id(), product);
      return product;
    }

    @Caching(evict = {@CacheEvict(cacheNames = "products", allEntries = true)})
    void saveAll() {}
  }

  private static GuardedCache<?, ?> store(CacheManager manager, String cache) {
    return (GuardedCache<?, ?>) Objects.requireNonNull(manager.getCache(cache)).getNativeCache();
  }

  @Test
  void annotationsCacheWithNothingConfigured() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          assertThat(shop.find(1)).isEqualTo(new Product(1, "tea"));
          assertThat(shop.find(1)).isEqualTo(new Product(1, "tea"));
          assertThat(shop.queries()).isEqualTo(1);

          shop.save(new Product(1, "coffee"));
          assertThat(shop.find(1)).isEqualTo(new Product(1, "coffee"));
          assertThat(shop.queries()).isEqualTo(2);

          shop.saveAndKeep(new Product(1, "milk"));
          assertThat(shop.find(1)).isEqualTo(new Product(1, "milk"));
          assertThat(shop.queries()).isEqualTo(2);

          shop.saveAll();
          assertThat(shop.findTogether(1)).isEqualTo(new Product(1, "milk"));
          assertThat(shop.findTogether(1)).isEqualTo(new Product(1, "milk"));
          assertThat(shop.queries()).isEqualTo(3);
          assertThat(context.getBean(CacheManager.class).getCacheNames())
              .containsExactly("products");
        });
  }

  @Test
  void whatDoesNotExistIsRemembered() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          assertThat(shop.find(9)).isNull();
          assertThat(shop.find(9)).isNull();
          assertThat(shop.findTogether(9)).isNull();
          assertThat(shop.queries()).isEqualTo(1);
          shop.save(new Product(9, "new"));
          assertThat(shop.find(9)).isEqualTo(new Product(9, "new"));
        });
  }

  @Test
  void optionalsListsAndStagesAreUnwrapped() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          assertThat(shop.name(1)).contains("tea");
          assertThat(shop.name(1)).contains("tea");
          assertThat(shop.name(9)).isEmpty();
          assertThat(shop.name(9)).isEmpty();
          assertThat(shop.queries()).isEqualTo(2);
          assertThat(shop.list("all", 1)).containsExactlyInAnyOrderElementsOf(shop.list("all", 1));
          assertThat(shop.list("all", 1)).first().isInstanceOf(Product.class);
          assertThat(shop.queries()).isEqualTo(3);
          assertThat(shop.later(1).get(1, TimeUnit.MINUTES)).isEqualTo(new Product(1, "tea"));
          assertThat(shop.later(1).get(1, TimeUnit.MINUTES)).isEqualTo(new Product(1, "tea"));
          assertThat(shop.queries()).isEqualTo(4);
          assertThatThrownBy(() -> shop.laterWithoutSync(1))
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessageContaining("sync = true");
        });
  }

  @Test
  void whatWasReadBeforeAWriteIsNotStoredAfterIt() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          CacheManager manager = context.getBean(CacheManager.class);
          shop.meanwhile(() -> shop.save(new Product(1, "coffee"))); // after the read of tea

          assertThat(shop.find(1)).as("asked before the write").isEqualTo(new Product(1, "tea"));

          assertThat(shop.find(1)).isEqualTo(new Product(1, "coffee"));
          assertThat(store(manager, "products").stats().fillsRefused()).isEqualTo(1);

          shop.meanwhile(() -> shop.save(new Product(2, "mug")));
          assertThat(shop.findTogether(2)).isEqualTo(new Product(2, "cup"));
          assertThat(shop.findTogether(2)).isEqualTo(new Product(2, "mug"));
        });
  }

  @Test
  void aCrowdLoadsOnceWithAndWithoutSync() {
    ApplicationContextRunner patient =
        runner.withPropertyValues("sluice.cache.defaults.fill-lease=1m");
    patient.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          for (long id : List.of(1L, 2L)) {
            int before = shop.queries();
            CountDownLatch loading = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            shop.meanwhile(
                () -> {
                  loading.countDown();
                  await(go);
                });
            ExecutorService crowd = Executors.newFixedThreadPool(16);
            try {
              List<Future<@Nullable Product>> all = new ArrayList<>();
              for (int i = 0; i < 16; i++) {
                all.add(crowd.submit(() -> id == 1 ? shop.find(id) : shop.findTogether(id)));
              }
              await(loading);
              go.countDown();
              for (Future<@Nullable Product> one : all) {
                assertThat(one.get(1, TimeUnit.MINUTES)).isEqualTo(shop.rows().get(id));
              }
            } finally {
              crowd.shutdownNow();
            }
            assertThat(shop.queries() - before).isEqualTo(1);
          }
        });
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aCallThatStoresNothingHoldsNobodyUp() {
    runner
        .withPropertyValues("sluice.cache.defaults.fill-lease=1m")
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              CacheManager manager = context.getBean(CacheManager.class);
              assertThatThrownBy(() -> shop.failing(1)).hasMessage("no database");
              assertThatThrownBy(() -> shop.failing(1)).hasMessage("no database");
              assertThatThrownBy(() -> shop.failingTogether(1))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessage("no database");
              long began = System.nanoTime();
              assertThat(shop.findUnlessCup(2)).isEqualTo(new Product(2, "cup"));
              assertThat(shop.findUnlessCup(2)).isEqualTo(new Product(2, "cup"));
              assertThat(shop.findTogether(2)).isEqualTo(new Product(2, "cup"));
              assertThat(System.nanoTime() - began)
                  .as("much less than a lease")
                  .isLessThan(TimeUnit.SECONDS.toNanos(30));
              assertThat(shop.queries()).isEqualTo(2 + 3);
              CacheStats stats = store(manager, "products").stats();
              assertThat(stats.fillsRefused()).isZero();
            });
  }

  @Test
  void methodsMayCallEachOtherForTheSameKey() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          assertThat(shop.findThroughItself(1)).isEqualTo(new Product(1, "tea"));
          assertThat(shop.findThroughItselfTogether(2)).isEqualTo(new Product(2, "cup"));
          assertThat(shop.queries()).isEqualTo(2);
          assertThat(shop.find(1)).isEqualTo(new Product(1, "tea"));
          assertThat(shop.find(2)).isEqualTo(new Product(2, "cup"));
          assertThat(shop.queries()).isEqualTo(2);
        });
  }

  @Test
  void severalCachesAreFilledTogether() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          shop.findInTwo(1);
          shop.save(new Product(1, "coffee")); // drops one of the two
          assertThat(shop.findInTwo(1)).isEqualTo(new Product(1, "tea"));
          assertThat(shop.find(1))
              .as("not filled from the other")
              .isEqualTo(new Product(1, "coffee"));
        });
  }

  @Test
  void typesThatCannotBeToldAreSaid() {
    runner.run(
        context ->
            assertThatThrownBy(() -> context.getBean(Shop.class).anything(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                    "cache 'words' does not know the type of its values: set"
                        + " sluice.cache.caches.words.type or .codec"));
    runner
        .withPropertyValues("sluice.cache.caches.words.type=java.lang.String")
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              assertThat(shop.anything(1)).isEqualTo("word");
              assertThat(shop.anything(1)).isEqualTo("word");
            });
  }

  @Test
  void metersAreThereWithTheFirstUse() {
    runner
        .withBean(SimpleMeterRegistry.class)
        .withPropertyValues("sluice.cache.caches.products.ttl=1m")
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              shop.find(1);
              shop.find(1);
              shop.name(1);
              SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
              assertThat(
                      registry
                          .get("cache.gets")
                          .tags("cache", "products", "result", "hit")
                          .functionCounter()
                          .count())
                  .isEqualTo(1);
              assertThat(
                      registry
                          .get("sluice.cache.fills.refused")
                          .tags("cache", "names", "cache.manager", "cacheManager")
                          .functionCounter()
                          .count())
                  .isZero();
            });
  }

  @Test
  void applicationsShareTheirCachesOnRedis() {
    try (RedisServer redis = RedisServer.start()) {
      ApplicationContextRunner fleet =
          runner.withPropertyValues(
              "sluice.url=redis://127.0.0.1:" + redis.port(),
              "sluice.request-timeout=20s",
              "sluice.cache.defaults.deadline=20s",
              "sluice.cache.defaults.near=100");
      fleet.run(
          first ->
              fleet.run(
                  second -> {
                    Shop here = first.getBean(Shop.class);
                    Shop there = second.getBean(Shop.class);
                    assertThat(here.find(1)).isEqualTo(new Product(1, "tea"));
                    assertThat(there.find(1)).isEqualTo(new Product(1, "tea"));
                    assertThat(there.findTogether(1)).isEqualTo(new Product(1, "tea"));
                    assertThat(there.queries()).as("loaded by the other").isZero();
                    assertThat(here.list("all", 1)).hasSize(2);
                    assertThat(there.list("all", 1)).hasSize(2);
                    assertThat(there.queries()).isZero();

                    there.rows().put(1L, new Product(1, "coffee"));
                    here.save(new Product(1, "coffee"));
                    assertThat(here.find(1)).isEqualTo(new Product(1, "coffee"));
                    Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .untilAsserted(
                            () ->
                                assertThat(there.find(1))
                                    .as("a copy follows")
                                    .isEqualTo(new Product(1, "coffee")));
                    assertThat(there.queries()).isZero();
                  }));
    }
  }
}
