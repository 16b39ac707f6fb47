package dev.sluice.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.interceptor.SimpleKey;

/** The rules that Spring sets for a cache. */
class SluiceCacheTest {
  private final Sluice sluice = Sluice.connect("memory:");
  private final GuardedCache<Object, Object> store =
      GuardedCache.create(
          sluice, "words", CacheOptions.of((Object key) -> KeyText.text(key), words()));
  private final Cache cache = new SluiceCache(store, null);

  @SuppressWarnings("unchecked")
  private static Codec<Object> words() {
    return (Codec<Object>) (Codec<?>) Codec.utf8();
  }

  @AfterEach
  void close() {
    sluice.close();
  }

  @Test
  void namesItselfAndWhatIsBehindIt() {
    assertThat(cache.getName()).isEqualTo("words");
    assertThat(cache.getNativeCache()).isSameAs(store);
  }

  @Test
  void putsAndGets() {
    assertThat(cache.get("k")).isNull();
    assertThat(cache.get("k", String.class)).isNull();
    cache.put("k", "v");
    assertThat(cache.get("k")).isNotNull().extracting(Cache.ValueWrapper::get).isEqualTo("v");
    assertThat(cache.get("k", String.class)).isEqualTo("v");
    assertThatThrownBy(() -> cache.get("k", Integer.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("cached value is not a java.lang.Integer: java.lang.String");
    cache.put("k", null);
    assertThat(cache.get("k")).as("null drops").isNull();
  }

  @Test
  void putsOnlyWhatIsAbsent() {
    assertThat(cache.putIfAbsent("k", "first")).isNull();
    assertThat(cache.putIfAbsent("k", "second"))
        .isNotNull()
        .extracting(Cache.ValueWrapper::get)
        .isEqualTo("first");
    assertThat(cache.get("k", String.class)).isEqualTo("first");
  }

  @Test
  void evictsAndClears() {
    cache.put("a", "1");
    cache.put("b", "2");
    cache.evict("a");
    cache.evict("a");
    assertThat(cache.get("a")).isNull();
    assertThat(cache.get("b")).isNotNull();
    assertThat(cache.evictIfPresent("b")).as("not known").isFalse();
    assertThat(cache.get("b")).isNull();
    cache.put("b", "2");
    cache.clear();
    assertThat(cache.get("b")).isNull();
    cache.put("b", "2");
    cache.invalidate();
    assertThat(cache.get("b")).isNull();
  }

  @Test
  void loadsWithACallable() {
    Callable<String> forbidden =
        () -> {
          throw new AssertionError("it is cached");
        };
    String loaded = cache.get("k", () -> "loaded");
    String again = cache.get("k", forbidden);
    String none = cache.get("none", () -> null);
    String stillNone = cache.get("none", forbidden);
    assertThat(loaded).isEqualTo("loaded");
    assertThat(again).isEqualTo("loaded");
    assertThat(none).isNull();
    assertThat(stillNone).as("known to be absent").isNull();
  }

  @Test
  void wrapsWhatALoaderThrows() {
    IOException failure = new IOException("disk");
    assertThatThrownBy(
            () ->
                cache.get(
                    "k",
                    () -> {
                      throw failure;
                    }))
        .isInstanceOfSatisfying(
            ValueRetrievalException.class,
            e -> {
              assertThat(e.getKey()).isEqualTo("k");
              assertThat(e.getCause()).isSameAs(failure);
            });
    String later = cache.get("k", () -> "later");
    assertThat(later).isEqualTo("later");
  }

  @Test
  void whoWaitsForALoadThatFailsIsTold() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    IOException failure = new IOException("disk");
    CompletableFuture<String> loader =
        CompletableFuture.supplyAsync(
            () ->
                cache.get(
                    "k",
                    () -> {
                      loading.countDown();
                      assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
                      throw failure;
                    }));
    assertThat(loading.await(60, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<String> later =
        cache.retrieve("k", () -> CompletableFuture.failedFuture(failure));
    CompletableFuture<Boolean> missed = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try (CacheCall call = CacheCall.begin(false)) {
                missed.complete(cache.get("k") == null);
              } catch (RuntimeException e) {
                missed.completeExceptionally(e);
              }
            });
    waiter.start();
    Awaitility.await().until(() -> waiter.getState() == Thread.State.WAITING);
    go.countDown();

    assertThat(missed.get(60, TimeUnit.SECONDS)).as("may try for itself").isTrue();
    assertThat(later).failsWithin(Duration.ofMinutes(1)).withThrowableThat().withCause(failure);
    assertThat(loader)
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withCauseInstanceOf(ValueRetrievalException.class)
        .withRootCauseInstanceOf(IOException.class);
  }

  @Test
  void retrievesWithoutBlocking() throws Exception {
    CompletableFuture<String> slow = new CompletableFuture<>();
    CompletableFuture<String> first = cache.retrieve("k", () -> slow);
    assertThatThrownBy(() -> first.get(50, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    slow.complete("v");
    assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("v");
    assertThat(cache.retrieve("k", () -> new CompletableFuture<String>()).get(60, TimeUnit.SECONDS))
        .isEqualTo("v");
    Object found = cache.retrieve("k").get(60, TimeUnit.SECONDS);
    assertThat(((Cache.ValueWrapper) found).get()).isEqualTo("v");
    assertThat(cache.retrieve("other").get(60, TimeUnit.SECONDS)).isNull();
    IOException failure = new IOException("disk");
    assertThat(cache.retrieve("bad", () -> CompletableFuture.<String>failedFuture(failure)))
        .failsWithin(60, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCause(failure);
  }

  @Test
  void aCallThatHoldsOneKeyDoesNotWaitForEverForAnother() throws Exception {
    CountDownLatch other = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    CompletableFuture<Void> holder =
        CompletableFuture.runAsync(
            () -> {
              try (CacheCall call = CacheCall.begin(false)) {
                assertThat(cache.get("theirs")).isNull();
                other.countDown();
                assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(other.await(60, TimeUnit.SECONDS)).isTrue();
    try (CacheCall call = CacheCall.begin(false)) {
      assertThat(cache.get("ours")).isNull();
      try (CacheCall inner = CacheCall.begin(false)) {
        assertThat(cache.get("theirs")).as("given up").isNull();
        cache.put("theirs", "not stored: no right");
      }
      String past = cache.get("theirs", () -> "past");
      assertThat(past).isEqualTo("past");
      cache.put("ours", "stored");
    }
    done.countDown();
    holder.get(60, TimeUnit.SECONDS);
    assertThat(cache.get("theirs")).isNull();
    assertThat(cache.get("ours", String.class)).isEqualTo("stored");
  }

  enum Colour {
    RED
  }

  @Test
  void differentKeysHaveDifferentNames() {
    UUID id = UUID.randomUUID();
    List<Object> keys =
        Arrays.asList(
            "a",
            "",
            "=",
            "()",
            "(1:a)",
            "#",
            1L,
            id,
            Colour.RED,
            SimpleKey.EMPTY,
            new SimpleKey("a"),
            new SimpleKey("a, b", "c"),
            new SimpleKey("a", "b, c"),
            new SimpleKey("a", null),
            new SimpleKey("a", "-"),
            new SimpleKey("a", "null"),
            new SimpleKey("1:a", ""),
            List.of("x", List.of("y")),
            List.of(List.of("x"), "y"),
            new long[] {1, 2},
            "long" + "x".repeat(600),
            "long" + "x".repeat(601));
    assertThat(keys.stream().map(KeyText::text))
        .doesNotHaveDuplicates()
        .allSatisfy(text -> assertThat(text.length()).isBetween(1, 512));
    assertThat(Stream.of(1, 1L, "1", (short) 1).map(KeyText::text))
        .as("one number, however it is typed, and as GuardedCache calls it")
        .containsOnly("1");
    assertThat(KeyText.text(Colour.RED)).isEqualTo("RED");
    assertThatThrownBy(() -> KeyText.text(new Object()))
        .hasMessageContaining("no cache key can be made of a java.lang.Object");
  }
}
