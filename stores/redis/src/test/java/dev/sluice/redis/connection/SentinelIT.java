package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.Consistency;
import dev.sluice.cache.GuardedCache;
import dev.sluice.lock.Lease;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisSentinel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sentinel names another master; the client follows, tokens still grow, caches go on. */
@EachRedis
class SentinelIT {
  private static final Duration AGES = Duration.ofSeconds(60);

  private final RedisBinary binary;

  SentinelIT(RedisBinary binary) {
    this.binary = binary;
  }

  private RedisSentinel start() {
    return RedisSentinel.start(binary, 1, Duration.ofMillis(500));
  }

  @Test
  void tokensGrowAcrossAFailover() throws Exception {
    try (RedisSentinel trio = start();
        Sluice sluice = Sluice.connect(trio.uri())) {
      assertThat(sluice.describe())
          .isEqualTo(
              "Redis master 'main' by Sentinel at 127.0.0.1:" + trio.sentinels().get(0).port());
      long before;
      try (Lease lease = sluice.lock("x").acquire(AGES)) {
        before = lease.token();
      }
      trio.master().kill();
      try (Lease lease = sluice.lock("x").acquire(AGES)) {
        assertThat(lease.token()).isGreaterThan(before);
      }
      assertThat(trio.isPromoted()).isTrue();
    }
  }

  @Test
  void cachesGoOnAcrossAFailoverAndCopiesAreNotTrusted() {
    try (RedisSentinel trio = start();
        Sluice sluice = Sluice.connect(trio.uri());
        Sluice other = Sluice.connect(trio.uri())) {
      Map<String, String> database = new ConcurrentHashMap<>(Map.of("k", "one"));
      AtomicInteger loads = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  GuardedCache.create(
                      sluice, "c", settings().consistency(Consistency.STRONG), database::get))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("a fail-over promotes a replica");
      GuardedCache<String, String> near =
          GuardedCache.create(sluice, "c", settings().near(100), database::get);
      GuardedCache<String, String> plain =
          GuardedCache.create(
              other,
              "c",
              settings(),
              key -> {
                loads.incrementAndGet();
                return database.get(key);
              });
      assertThat(near.get("k")).contains("one");
      assertThat(plain.get("k")).contains("one");
      assertThat(loads).hasValue(0);
      trio.master().kill();
      await().atMost(AGES).until(trio::isPromoted);
      await()
          .atMost(AGES)
          .ignoreExceptions()
          .until(
              () -> {
                database.put("k", "two");
                plain.invalidate("k");
                return plain.stats().pendingInvalidations() == 0;
              });
      await().atMost(AGES).until(() -> near.get("k").equals(Optional.of("two")));
      // what was loaded past the store is not in there: the next to ask puts it there
      await()
          .atMost(AGES)
          .until(
              () ->
                  plain.get("k").equals(Optional.of("two"))
                      && plain.getIfPresent("k").equals(Optional.of("two")));
    }
  }

  private static CacheOptions<String, String> settings() {
    return CacheOptions.of(String.class, Codec.utf8()).deadline(Duration.ofSeconds(2));
  }
}
