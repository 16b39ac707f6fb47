package dev.sluice.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GuardedCacheTest {
  private final Sluice sluice = Sluice.connect("memory:");
  private final AtomicInteger loads = new AtomicInteger();

  @AfterEach
  void close() {
    sluice.close();
  }

  private GuardedCacheBuilder<Long, String> builder() {
    return GuardedCache.builder(sluice, "products", Long.class, Codec.utf8());
  }

  @Test
  void loadsOnceAndThenHits() {
    GuardedCache<Long, String> cache =
        builder().build(id -> id < 0 ? null : "v" + loads.incrementAndGet());
    assertThat(cache.get(1L)).contains("v1");
    assertThat(cache.get(1L)).contains("v1");
    assertThat(cache.get(-1L)).isEmpty();
    assertThat(cache.getIfPresent(2L)).isEmpty();
    cache.invalidate(1L);
    assertThat(cache.get(1L)).contains("v2");
    assertThat(cache.<String>update(1L, () -> "written")).isEqualTo("written");
    assertThat(cache.get(1L)).contains("v3");
    assertThat(cache.refresh(1L)).contains("v4");
    assertThat(cache.get(1L)).contains("v4");
    cache.put(1L, "own");
    assertThat(cache.get(1L)).contains("own");
    cache.clear();
    assertThat(cache.get(1L)).contains("v5");
  }

  @Test
  void manyReadersShareOneLoad() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    GuardedCache<Long, String> cache =
        builder()
            .build(
                id -> {
                  loads.incrementAndGet();
                  try {
                    go.await(10, TimeUnit.SECONDS);
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  return "v";
                });
    ExecutorService pool = Executors.newFixedThreadPool(50);
    List<Future<Optional<String>>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(pool.submit(() -> cache.get(1L)));
    }
    go.countDown();
    for (Future<Optional<String>> one : all) {
      assertThat(one.get(20, TimeUnit.SECONDS)).contains("v");
    }
    pool.shutdown();
    assertThat(loads.get()).isEqualTo(1);
  }

  @Test
  void nearTagsBulkAsync() {
    GuardedCache<Long, String> cache =
        builder()
            .near(100)
            .tags((id, value) -> List.of("all", "id" + id))
            .bulkLoader(
                ids -> {
                  loads.incrementAndGet();
                  Map<Long, String> found = new java.util.HashMap<>();
                  ids.forEach(id -> found.put(id, "b" + id));
                  return found;
                })
            .build(id -> "v" + loads.incrementAndGet());
    assertThat(cache.getAll(List.of(1L, 2L, 3L))).hasSize(3).containsEntry(2L, "b2");
    assertThat(loads.get()).isEqualTo(1);
    assertThat(cache.get(1L)).contains("b1");
    cache.invalidateTag("id1");
    assertThat(cache.get(1L)).contains("v2");
    assertThat(cache.get(2L)).contains("b2");
    assertThat(cache.async().get(2L).join()).contains("b2");
    assertThat(cache.async().get(7L, id -> CompletableFuture.completedFuture("x")).join())
        .contains("x");
    System.out.println(cache.stats());
  }

  @Test
  void serialAndStrong() {
    GuardedCache<Long, String> cache =
        builder()
            .serial()
            .consistency(Consistency.STRONG)
            .build(id -> "v" + loads.incrementAndGet());
    assertThat(cache.get(1L)).contains("v1");
    cache.update(
        1L,
        () -> {
          assertThat(loads.get()).isEqualTo(1);
        });
    assertThat(cache.get(1L)).contains("v2");
  }

  @Test
  void recursionIsTold() {
    GuardedCache<Long, String> cache = builder().build();
    assertThatThrownBy(() -> cache.get(1L, id -> cache.get(id, x -> "y").orElse("")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("same key");
    assertThatThrownBy(() -> cache.get(1L)).hasMessageContaining("loader");
    assertThat(cache.get(1L, id -> "later")).contains("later");
  }

  @Test
  void hardTimeout() {
    GuardedCache<Long, String> cache =
        builder()
            .hardTimeout(Duration.ofMillis(50))
            .build(
                id -> {
                  try {
                    new CountDownLatch(1).await(1, TimeUnit.SECONDS);
                  } catch (InterruptedException e) {
                    return null;
                  }
                  return "late";
                });
    assertThatThrownBy(() -> cache.get(1L)).isInstanceOf(LoadTimeoutException.class);
  }
}
