package dev.sluice.redis.doctor;

import static dev.sluice.redis.doctor.DoctorFixture.assertFinds;
import static dev.sluice.redis.doctor.DoctorFixture.examine;
import static dev.sluice.redis.doctor.DoctorFixture.good;
import static dev.sluice.redis.doctor.DoctorFixture.userWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.Sluice;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.Sale;
import dev.sluice.limit.Limit;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.PatientClient;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eviction and lost writes are judged for each part that has keys, and for no other. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class DoctorPartsIT {
  private static final Duration AGES = Duration.ofMinutes(10);

  private final RedisBinary binary;

  DoctorPartsIT(RedisBinary binary) {
    this.binary = binary;
  }

  private static void lock(Sluice sluice) {
    assertThat(sluice.lock("x").tryAcquire()).isPresent();
  }

  private static void stock(Sluice sluice) {
    sluice.inventory("sku").open(Sale.epoch(1).total(5).hold(AGES).drained());
    sluice.inventory("sku").claim("ann", 1, "r");
  }

  private static void filter(Sluice sluice) {
    sluice.bloomFilter("ids", Funnel.utf8(), BloomSpec.of(1000, 0.01)).create();
  }

  private static Finding only(RedisServer server, RedisFinding expected) {
    List<Finding> findings = examine(server.uri());
    assertFinds(findings, expected);
    return findings.get(0);
  }

  private static List<String> parts(Finding finding) {
    return Arrays.stream(finding.risk().split("; ")).map(risk -> risk.split(":")[0]).toList();
  }

  @Test
  void evictionIsJudgedForEachPartInUse() {
    try (RedisServer server = good(binary, "--maxmemory-policy", "allkeys-lru")) {
      String general = only(server, RedisFinding.EVICTION_POLICY).risk();
      assertThat(general).as("nothing is in use yet").contains("lock", "limits");
      try (Sluice sluice = PatientClient.connect(server.uri())) {
        lock(sluice);
        Finding locks = only(server, RedisFinding.EVICTION_POLICY);
        assertThat(locks.risk()).isEqualTo("locks: a held lock is free for the next caller");
        assertThat(locks.severity()).isEqualTo(Severity.ERROR);

        stock(sluice);
        filter(sluice);
        Finding three = only(server, RedisFinding.EVICTION_POLICY);
        assertThat(parts(three)).containsExactly("locks", "Bloom filters", "stock");
        assertThat(three.risk()).contains("stock: stock and claims contradict each other");

        server.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
        assertThat(only(server, RedisFinding.EVICTION_POLICY).risk())
            .contains(
                "locks: a held lock is free",
                "stock: keys without an expiry are not evicted",
                "Bloom filters: keys without an expiry are not evicted");
      }
    }
  }

  @Test
  void lostWritesAreJudgedForEachPartInUse() {
    try (RedisServer server = good(binary, "--appendonly", "no");
        Sluice sluice = PatientClient.connect(server.uri())) {
      assertThat(only(server, RedisFinding.NO_PERSISTENCE).risk()).startsWith("a restart loses");
      sluice.rateLimiter("api", Limit.tokenBucket(10, Duration.ofHours(1))).tryAcquire("u");
      stock(sluice);
      Finding all = only(server, RedisFinding.NO_PERSISTENCE);
      assertThat(all.risk())
          .isEqualTo(
              "limits: counts start again: at most one extra burst per key;"
                  + " stock: claims that were answered may be gone: reconcile");
      assertThat(all.severity()).isEqualTo(Severity.WARNING);
      server.call("CONFIG", "SET", "save", "900 1");
      assertThat(only(server, RedisFinding.SNAPSHOTS_ONLY).risk()).isEqualTo(all.risk());
      server.call("CONFIG", "SET", "save", "");
      server.call("CONFIG", "SET", "appendonly", "yes");
      server.call("CONFIG", "SET", "appendfsync", "everysec");
      Finding second = only(server, RedisFinding.FSYNC);
      assertThat(second.risk()).isEqualTo(all.risk());
      assertThat(second.severity()).isEqualTo(Severity.INFO);
    }
  }

  @Test
  void eachPartIsNamedByItsKeys() {
    try (RedisServer server = good(binary, "--maxmemory-policy", "allkeys-lru");
        Sluice sluice = PatientClient.connect(server.uri());
        RedisBackend backend =
            OpenedRedis.connect(server.uri(), new BackendSettings(Duration.ofSeconds(20)))) {
      assertThat(sluice.semaphore("pool", 2).tryAcquire()).isPresent();
      sluice.latch("ready").trySetCount(2);
      sluice.throttle().clThrottle("k", 5, 7, 60, 1);
      assertThat(parts(only(server, RedisFinding.EVICTION_POLICY)))
          .containsExactly("semaphores and read-write locks", "latches", "limits");

      server.call("SET", "sl:{r}:guard", "7:1", "PX", "600000");
      server.call("SET", "sl:{c:k}:c", "x", "PX", "600000");
      assertThat(parts(only(server, RedisFinding.EVICTION_POLICY)))
          .contains("guards", "caches")
          .doesNotContain("cache tags", "locks", "Bloom filters", "stock");
      backend.caches().invalidateTag("c", "t", AGES.toNanos() / 1000).toCompletableFuture().join();
      assertThat(only(server, RedisFinding.EVICTION_POLICY).risk())
          .contains("; cache tags: an evicted tag brings back the values that it dropped");
    }
  }

  /** A cache needs eviction; it must share the server with nothing else. */
  @Test
  void evictionOnAServerOfCachesAloneIsAWarning() {
    try (RedisServer server = good(binary, "--maxmemory-policy", "allkeys-lru");
        Sluice sluice = PatientClient.connect(server.uri())) {
      server.call("SET", "sl:{c:k}:c", "x", "PX", "600000");
      Finding caches = only(server, RedisFinding.EVICTION_POLICY);
      assertThat(caches.severity()).isEqualTo(Severity.WARNING);
      assertThat(caches.risk()).isEqualTo("caches: an evicted value costs a load");
      assertThat(caches.fix())
          .isEqualTo(
              "keep locks, limits, filters and stock on another server, or CONFIG SET"
                  + " maxmemory-policy noeviction");
      lock(sluice);
      Finding shared = only(server, RedisFinding.EVICTION_POLICY);
      assertThat(shared.severity()).isEqualTo(Severity.ERROR);
      assertThat(shared.fix()).isEqualTo("CONFIG SET maxmemory-policy noeviction");
    }
  }

  @Test
  void keysOfOthersAreNoPartAndMissingRightsGiveTheGeneralRisk() {
    try (RedisServer server = good(binary, "--maxmemory-policy", "allkeys-lru");
        Sluice sluice = PatientClient.connect(server.uri())) {
      String general = only(server, RedisFinding.EVICTION_POLICY).risk();
      server.call("SET", "shop:{n}:lock", "x");
      assertThat(only(server, RedisFinding.EVICTION_POLICY).risk()).isEqualTo(general);
      server.call("HSET", "sl:{n}:lock", "x", "y"); // not a lock of Sluice
      assertFinds(examine(server.uri()), RedisFinding.EVICTION_POLICY, RedisFinding.FOREIGN_DATA);
      assertThat(examine(server.uri()))
          .filteredOn(finding -> finding.id().equals("eviction-policy"))
          .extracting(Finding::risk)
          .containsExactly(general);
      server.call("DEL", "sl:{n}:lock");

      lock(sluice);
      String uri =
          userWith(server, List.of("on", ">secret", "allkeys", "allchannels", "+@all", "-scan"));
      assertThat(examine(uri))
          .filteredOn(finding -> finding.id().equals("eviction-policy"))
          .extracting(Finding::risk)
          .containsExactly(general);
    }
  }

  @Test
  void aServerWithManyKeysSaysThatOtherPartsMayBeInUse() {
    try (RedisServer server = good(binary, "--maxmemory-policy", "allkeys-lru")) {
      for (int i = 0; i < 3000; i++) {
        server.call("SET", "sl:{c:" + i + "}:c", "x", "PX", "600000");
      }
      assertThat(only(server, RedisFinding.EVICTION_POLICY).risk())
          .startsWith("caches: an evicted value costs a load; other parts may be in use: only ");
    }
  }
}
