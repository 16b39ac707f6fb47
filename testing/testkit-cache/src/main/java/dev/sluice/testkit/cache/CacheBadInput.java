package dev.sluice.testkit.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.Consistency;
import dev.sluice.cache.GuardedCache;
import dev.sluice.limit.Limit;
import dev.sluice.spi.Backend;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.testkit.FlakyBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Tests that invalid input is reported to its caller and affects no other caller.
 *
 * @since 0.1
 */
public interface CacheBadInput extends CacheContract {
  String LONG_NAME = "x".repeat(513);

  @Test
  default void keysAreCheckedAsNamesOfLocksAre() {
    GuardedCache<String, String> cache = cache();
    Map<String, String> wrong =
        Map.of("", "1 to 512 bytes", LONG_NAME, "513", "\uD800", "lone surrogate");
    wrong.forEach(
        (key, why) -> {
          for (ThrowingCallable call :
              List.<ThrowingCallable>of(
                  () -> cache.get(key),
                  () -> cache.getIfPresent(key),
                  () -> cache.getAll(List.of(key)),
                  () -> cache.put(key, "x"),
                  () -> cache.invalidate(key),
                  () -> cache.invalidateAll(List.of(key)),
                  () -> cache.invalidateTag(key),
                  () -> cache.update(key, () -> {}),
                  () -> cache.refresh(key),
                  () -> named(key))) {
            assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
          }
        });
    assertThat(cache.get("x".repeat(512), key -> "long")).contains("long");
  }

  private GuardedCache<String, String> named(String name) {
    return GuardedCache.create(client(), name, settings());
  }

  @Test
  @SuppressWarnings("NullAway") // that is what is tested
  default void nullIsRefused() {
    GuardedCache<String, String> cache = cache();
    GuardedCache<String, String> near =
        GuardedCache.create(client(), NAME, settings().near(10), database()::load);
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> cache.get(null),
            () -> near.get(null),
            () -> cache.get(KEY, null),
            () -> cache.getIfPresent(null),
            () -> cache.getAll(Arrays.asList("a", null)),
            () -> cache.put(null, "x"),
            () -> cache.put(KEY, null),
            () -> cache.put(KEY, "x", null),
            () -> cache.invalidate(null),
            () -> cache.update(null, () -> {}),
            () -> cache.update(KEY, (Runnable) null),
            () -> cache.refresh(null),
            () -> cache.async().get(KEY, null).toCompletableFuture(),
            () -> cache.async().update(KEY, null).toCompletableFuture(),
            () -> GuardedCache.create(client(), NAME, settings(), null),
            () -> settings().ttl((Duration) null),
            () -> settings().consistency(null))) {
      assertThatThrownBy(call).isInstanceOf(NullPointerException.class);
    }
    assertThat(stored(KEY)).isEmpty();
  }

  @Test
  default void c3_settingsOutOfRangeAreRefused() {
    Map<String, UnaryOperator<CacheOptions<String, String>>> wrong = new LinkedHashMap<>();
    wrong.put("ttl must be", s -> s.ttl(Duration.ZERO));
    wrong.put("ttl must be PT0.001S to PT720H: PT721H", s -> s.ttl(Duration.ofHours(721)));
    wrong.put("absentTtl must be", s -> s.absentTtl(Duration.ofMinutes(5).plusMillis(1)));
    wrong.put("absentTtl must be PT0.001S to PT5M", s -> s.absentTtl(Duration.ofMillis(-1)));
    wrong.put("jitter must be 0 to 0.9: 0.91", s -> s.jitter(0.91));
    wrong.put("jitter must be 0 to 0.9: NaN", s -> s.jitter(Double.NaN));
    wrong.put("near must be 1 to 10^9 entries: 0", s -> s.near(0));
    wrong.put("nearTtl must be", s -> s.nearTtl(Duration.ZERO));
    wrong.put("nearStaleness must be", s -> s.nearStaleness(Duration.ofMillis(99)));
    wrong.put("staleOnError must be", s -> s.staleOnError(Duration.ofDays(31)));
    wrong.put("earlyRefresh must be", s -> s.earlyRefresh(-0.1));
    wrong.put("softTimeout must be", s -> s.softTimeout(Duration.ZERO));
    wrong.put("hardTimeout must be", s -> s.hardTimeout(Duration.ofHours(2)));
    wrong.put("deadline must be", s -> s.deadline(Duration.ofMinutes(2)));
    wrong.put("fillLease must be", s -> s.fillLease(Duration.ofMillis(9)));
    wrong.put("intent must be", s -> s.intent(Duration.ofMinutes(11)));
    wrong.put("fallback must not be a queue", s -> s.fallback(queue()));
    wrong.put("softTimeout needs staleOnError", s -> s.softTimeout(SHORT));
    wrong.put("STRONG cannot be combined with near", s -> strong(s).near(1));
    wrong.put("STRONG cannot be combined with staleOnError", s -> strong(s).staleOnError(LONG));
    wrong.forEach(
        (message, change) ->
            assertThatIllegalArgumentException()
                .as(message)
                .isThrownBy(() -> GuardedCache.create(client(), NAME, change.apply(settings())))
                .withMessageContaining(message));
    GuardedCache.create(client(), NAME, settings().absentTtl(Duration.ofMinutes(5)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache().put(KEY, "x", Duration.ZERO))
        .withMessageContaining("ttl must be");
  }

  private Limit queue() {
    return Limit.leakyQueue(1, Duration.ofSeconds(1)).places(5);
  }

  private CacheOptions<String, String> strong(CacheOptions<String, String> settings) {
    return settings.consistency(Consistency.STRONG);
  }

  @Test
  default void badAnswersOfFunctionsAreTold() {
    database().write(KEY, "one");
    GuardedCache<String, String> tooLong =
        GuardedCache.create(
            client(), NAME, settings().ttl((key, value) -> Duration.ofDays(31)), database()::load);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tooLong.get(KEY))
        .withMessageContaining(KEY)
        .withMessageContaining("TTL");
    GuardedCache<String, String> tooMany =
        GuardedCache.create(
            client(),
            NAME,
            settings().tags((key, value) -> List.of("abcdefghijklmnopq".split(""))),
            database()::load);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tooMany.get(KEY))
        .withMessageContaining("at most 16 tags");
    assertThat(cache().get(KEY)).as("the lease was released").contains("one");
  }

  @Test
  default void cacheWithoutALoaderSaysSo() {
    GuardedCache<String, String> cache = GuardedCache.create(client(), NAME, settings());
    assertThatThrownBy(() -> cache.get(KEY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has no loader");
  }

  @Test
  default void loaderThatAsksForItsOwnKeyIsTold() {
    GuardedCache<String, String> cache = GuardedCache.create(client(), NAME, settings());
    GuardedCache<String, String> loading = cache();
    GuardedCache<String, String> timed =
        GuardedCache.create(client(), NAME, settings().hardTimeout(LONG));
    GuardedCache<String, String> bulk =
        GuardedCache.create(
            client(),
            NAME,
            settings().bulkLoader(keys -> Map.of("a", cache().getIfPresent("b").orElse(""))));
    assertThat(bulk.getAll(List.of("a"))).as("reading another key is fine").hasSize(1);
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> cache.get(KEY, key -> again(cache, key)),
            () -> timed.get(KEY, key -> again(timed, key)),
            () -> cache.get("x", x -> cache.get("y", y -> again(cache, x)).orElseThrow()),
            () -> loading.get(KEY, key -> loading.getAll(List.of("c", key)).toString()),
            () -> cache.async().get(KEY, key -> asked(cache, key)).toCompletableFuture().join(),
            () -> asksForItself().getAll(List.of(KEY)))) {
      assertThatThrownBy(call).hasStackTraceContaining("asked for the same key");
    }
    assertThat(cache.get(KEY, key -> "later")).contains("later");
  }

  private String again(GuardedCache<String, String> cache, String key) {
    return cache.get(key, k -> "inner").orElse("");
  }

  private CompletionStage<String> asked(GuardedCache<String, String> cache, String key) {
    return cache
        .async()
        .get(key, k -> asked(cache, k))
        .toCompletableFuture()
        .thenApply(value -> value.orElse(""));
  }

  private GuardedCache<String, String> asksForItself() {
    AtomicReference<GuardedCache<String, String>> self = new AtomicReference<>(cache());
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(), NAME, settings().bulkLoader(keys -> requireNonNull(self.get()).getAll(keys)));
    self.set(cache);
    return cache;
  }

  @Test
  default void valueThatCannotBeReadIsAMissAndCounted() {
    GuardedCache<String, byte[]> raw =
        GuardedCache.create(
            client(), NAME, CacheOptions.of(String.class, Codec.bytes()).deadline(PATIENT));
    raw.put(KEY, new byte[] {(byte) 0xC3, 0x28}); // no UTF-8
    database().write(KEY, "one");
    GuardedCache<String, String> cache = cache();
    assertThat(cache.getIfPresent(KEY)).isEmpty();
    assertThat(cache.get(KEY)).contains("one");
    assertThat(cache.stats().codecFailures()).isPositive();
    assertThat(cache().get(KEY)).as("it was replaced").contains("one");
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void valueThatCannotBeWrittenIsToldToTheCallerAlone() {
    database().write(KEY, "\uD800");
    GuardedCache<String, String> cache = cache();
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> cache.get(KEY), () -> cache.put(KEY, "\uD800"), () -> cache.refresh(KEY))) {
      assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining("lone surrogate");
    }
    database().write(KEY, "one");
    assertThat(cache().get(KEY)).as("the lease was released").contains("one");
  }

  @Test
  default void codecThatThrowsAnErrorLeavesNobodyWaiting() {
    Codec<String> broken =
        new Codec<>() {
          @Override
          public byte[] encode(String value) {
            throw new StackOverflowError("deep");
          }

          @Override
          public String decode(byte[] bytes) {
            throw new NoClassDefFoundError("Product");
          }
        };
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(), NAME, CacheOptions.of(String.class, broken).deadline(PATIENT));
    assertThatThrownBy(() -> cache.get(KEY, key -> "one")).hasStackTraceContaining("deep");
    cache().put(KEY, "one");
    assertThat(cache.getIfPresent(KEY)).isEmpty();
    assertThat(cache.stats().codecFailures()).isEqualTo(1);
  }

  @Test
  default void storeThatCannotGiveStrongIsNotAskedTo() {
    Backend weak = weak(line());
    assertThatThrownBy(() -> GuardedCache.create(client(weak), NAME, strong(settings())))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("STRONG")
        .hasMessageContaining("it forgets");
    GuardedCache.create(client(weak), NAME, settings());
  }

  @Test
  default void storeWithoutCachesSaysSo() {
    GrantBackend locks = line().locks();
    Backend bare =
        new Backend() {
          @Override
          public String describe() {
            return "bare";
          }

          @Override
          public GrantBackend locks() {
            return locks;
          }

          @Override
          public void close() {}
        };
    assertThatThrownBy(() -> GuardedCache.create(client(bare), NAME, settings()))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("bare");
  }

  /** A store that may lose answered writes. */
  private Backend weak(FlakyBackend line) {
    CacheBackend strong = line.caches();
    CacheBackend weak =
        (CacheBackend)
            Proxy.newProxyInstance(
                CacheBackend.class.getClassLoader(),
                new Class<?>[] {CacheBackend.class},
                (proxy, method, arguments) -> {
                  try {
                    return method.getName().equals("whyNotStrong")
                        ? "it forgets"
                        : method.invoke(strong, arguments);
                  } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                  }
                });
    return new Backend() {
      @Override
      public String describe() {
        return "weak";
      }

      @Override
      public GrantBackend locks() {
        return line.locks();
      }

      @Override
      public CacheBackend caches() {
        return weak;
      }

      @Override
      public void close() {}
    };
  }

  @Test
  default void keysMayBeOfPlainTypesOrNamed() {
    Codec<String> utf8 = Codec.utf8();
    var client = client();
    assertThat(
            GuardedCache.create(client, "a", CacheOptions.of(Long.class, utf8))
                .get(1L, k -> "x" + k))
        .contains("x1");
    assertThat(
            GuardedCache.create(client, "a", CacheOptions.of(Integer.class, utf8)).getIfPresent(1))
        .contains("x1");
    UUID id = UUID.randomUUID();
    assertThat(
            GuardedCache.create(client, "a", CacheOptions.of(UUID.class, utf8)).get(id, k -> "id"))
        .contains("id");
    assertThat(
            GuardedCache.create(client, "a", CacheOptions.of(TimeUnit.class, utf8))
                .get(TimeUnit.DAYS, k -> "d"))
        .contains("d");
    assertThat(
            GuardedCache.create(client, "a", CacheOptions.of((List<String> k) -> k.get(0), utf8))
                .getIfPresent(List.of("DAYS")))
        .contains("d");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CacheOptions.of(Object.class, utf8))
        .withMessageContaining("java.lang.Object");
  }
}
