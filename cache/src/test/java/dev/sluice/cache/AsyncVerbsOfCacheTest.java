package dev.sluice.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that dropping entries works through the asynchronous view, too. */
class AsyncVerbsOfCacheTest {

  private static <T> void end(CompletionStage<T> stage) {
    stage.toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join();
  }

  @Test
  void entriesAreDroppedWhenTheStageCompletes() {
    AtomicInteger loads = new AtomicInteger();
    try (Sluice sluice = Sluice.connect("memory:")) {
      GuardedCache<String, String> cache =
          GuardedCache.create(
              sluice,
              "words",
              CacheOptions.of(String.class, Codec.utf8()).tags((key, value) -> List.of("all")),
              key -> key + loads.incrementAndGet());
      List<String> keys = List.of("a", "b");
      cache.getAll(keys);
      end(cache.async().invalidateAll(keys));
      assertThat(keys).noneMatch(key -> cache.getIfPresent(key).isPresent());

      cache.getAll(keys);
      end(cache.async().invalidateTag("all"));
      assertThat(keys).noneMatch(key -> cache.getIfPresent(key).isPresent());

      cache.getAll(keys);
      end(cache.async().clear());
      assertThat(keys).noneMatch(key -> cache.getIfPresent(key).isPresent());
      assertThat(cache.stats().codecFailures()).isZero();
    }
  }
}
