package dev.sluice.redis;

import static dev.sluice.redis.doctor.DoctorFixture.assertFinds;
import static dev.sluice.redis.doctor.DoctorFixture.examine;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.guard.FencingToken;
import dev.sluice.inventory.Sale;
import dev.sluice.limit.Limit;
import dev.sluice.lock.Lease;
import dev.sluice.redis.doctor.AclIT;
import dev.sluice.redis.doctor.DoctorFixture;
import dev.sluice.redis.doctor.RedisFinding;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Namespaces on one server, on a cluster and on a quorum. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisNamespaceIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final BackendSettings SETTINGS = new BackendSettings(AGES);
  private static final String STAGING = "?namespace=shop-staging";

  private final RedisBinary binary;

  RedisNamespaceIT(RedisBinary binary) {
    this.binary = binary;
  }

  private static Sluice connect(String uri) {
    return Sluice.builder().uri(uri).requestTimeout(AGES).build();
  }

  /** Two clients, the second of which waits for the first, and is told. */
  private static void assertHandsOver(Sluice one, Sluice two, String name) throws Exception {
    Lease lease = one.lock(name).acquire(AGES);
    CompletableFuture<Lease> next = two.lock(name).async().acquire(AGES).toCompletableFuture();
    await().atMost(AGES).until(() -> !one.inspect().lock(name).waiters().isEmpty());
    lease.close();
    next.get(30, TimeUnit.SECONDS).close();
  }

  private static void useEverything(Sluice one) throws Exception {
    one.lock("x").tryAcquire().orElseThrow().close();
    one.semaphore("x", 2).acquire(AGES).close();
    assertThat(one.latch("x").trySetCount(1)).isTrue();
    assertThat(one.rateLimiter("x", Limit.gcra(1, Duration.ofHours(1))).tryAcquire("k").allowed())
        .isTrue();
    one.inventory("x").open(Sale.epoch(1).total(1));
    assertThat(one.inventory("x").claim("me", 1, "r").isClaimed()).isTrue();
  }

  @Test
  void keysAndChannelsBeginWithTheNamespaceAndNamesOfAnotherOneAreNotSeen() throws Exception {
    try (RedisServer server = RedisServer.start(binary);
        Sluice one = connect(server.uri() + STAGING);
        Sluice two = connect(server.uri() + STAGING);
        Sluice plain = connect(server.uri());
        Sluice other = connect(server.uri() + "?namespace=shop")) {
      assertThat(one.describe()).isEqualTo(plain.describe() + " in namespace shop-staging");
      assertHandsOver(one, two, "x");
      useEverything(one);
      assertThat((List<?>) server.call("KEYS", "*"))
          .hasSizeGreaterThan(5)
          .allMatch(key -> String.valueOf(key).startsWith("shop-staging:sl:{x"));
      assertThat((List<?>) server.call("PUBSUB", "CHANNELS", "*"))
          .isNotEmpty()
          .allMatch(channel -> String.valueOf(channel).startsWith("shop-staging:sl:inbox:"));
      assertThat(one.inspect().lockNames(9).names()).containsExactly("x");
      assertThat(one.inspect().permitNames(9).names()).containsExactly("x");
      assertThat(one.inspect().inventoryNames(9).names()).containsExactly("x");
      for (Sluice each : List.of(plain, other)) {
        assertThat(each.inspect().lockNames(9).names()).isEmpty();
        assertThat(each.inspect().permitNames(9).names()).isEmpty();
        assertThat(each.inspect().inventoryNames(9).names()).isEmpty();
      }
      try (Lease lease = one.lock("x").acquire(AGES)) {
        useEverything(plain);
        useEverything(other);
        lease.checkHeld();
      }
    }
  }

  @Test
  void notesFiltersAndCachesStayInTheirNamespace() throws Exception {
    try (RedisServer server = RedisServer.start(binary);
        Backend one = RedisBackend.connect(server.uri() + STAGING, SETTINGS);
        Backend plain = RedisBackend.builder().uri(server.uri()).requestTimeout(AGES).build();
        Backend other =
            RedisBackend.builder()
                .uri(server.uri() + STAGING)
                .namespace("other")
                .requestTimeout(AGES)
                .build()) {
      CacheKey key = new CacheKey("c", "k");
      for (Backend each : List.of(one, plain, other)) {
        assertThat(join(each.notes().put("report", each.describe(), "{}", 60_000_000))).isTrue();
        join(each.caches().put(key, new CacheValue(new byte[] {1}, 60_000_000, 0)));
      }
      for (Backend each : List.of(one, plain, other)) {
        assertThat(join(each.notes().all("report"))).containsOnlyKeys(each.describe());
      }
      join(other.caches().clear("c"));
      assertThat(join(other.caches().read(key))).isNull();
      assertThat(join(one.caches().read(key))).isNotNull();
      assertThat(join(plain.caches().read(key))).isNotNull();
      assertThat(server.call("EXISTS", "shop-staging:sl:{c:k}:c", "sl:{c:k}:c")).isEqualTo(2L);
    }
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void aUserIsKeptInsideANamespace() throws Exception {
    try (RedisServer server = DoctorFixture.good(binary)) {
      String uri = userOf(server, "shop-staging:") + STAGING;
      assertThat(examine(uri)).isEmpty();
      try (Sluice one = connect(uri);
          Sluice two = connect(uri)) {
        assertHandsOver(one, two, "x");
        useEverything(one);
        assertThat(one.diagnose()).isEmpty();
      }
      List<Finding> elsewhere = examine(uri.replace("-staging", ""));
      assertFinds(elsewhere, RedisFinding.RIGHTS, RedisFinding.MESSAGES);
      assertThat(elsewhere)
          .extracting(Finding::fix)
          .containsExactlyInAnyOrder(
              "ACL SETUSER sluice ~shop:sl:*", "ACL SETUSER sluice &shop:sl:inbox:*");
      assertFinds(
          examine(userOf(server, "") + STAGING), RedisFinding.RIGHTS, RedisFinding.MESSAGES);
    }
  }

  /** The documented user, with a namespace in its patterns. */
  private static String userOf(RedisServer server, String start) {
    String rules =
        Stream.concat(
                AclIT.documentedRules().stream(),
                Stream.of("+info", "+config|get", "+cluster|info", "+acl|whoami", "+acl|getuser"))
            .collect(Collectors.joining(" "));
    String here = rules.replace("~sl:", "~" + start + "sl:").replace("&sl:", "&" + start + "sl:");
    return DoctorFixture.userWith(server, List.of(here.split(" ")));
  }

  @Test
  void theDoctorLooksAtTheKeysOfTheNamespaceAlone() throws Exception {
    try (RedisServer server = DoctorFixture.good(binary);
        Sluice one = connect(server.uri() + STAGING)) {
      one.lock("x").acquire(AGES).close();
      server.call("PERSIST", "shop-staging:sl:{x}:lock");
      List<Finding> findings = examine(server.uri() + STAGING);
      assertFinds(findings, RedisFinding.KEYS_WITHOUT_EXPIRY);
      assertThat(findings.get(0).what()).startsWith("1: shop-staging:sl:{x}:lock (of all 1 keys)");
      assertThat(examine(server.uri())).isEmpty();
    }
  }

  @Test
  void aGuardHasANamespace() {
    try (RedisServer server = RedisServer.start(binary);
        RedisClient client = RedisClient.create(server.uri())) {
      RedisGuard plain = RedisGuard.create(client.connect().async(), AGES);
      RedisGuard shop = plain.namespace("shop");
      shop.section("r", FencingToken.parse("9:a.1")).set("{r}:state", "new");
      plain.section("r", FencingToken.parse("2:b.1")).set("{r}:state", "newer");
      assertThat(server.call("GET", "shop:sl:{r}:guard")).isEqualTo("9:a.1");
      assertThat(server.call("GET", "sl:{r}:guard")).isEqualTo("2:b.1");
      assertThatThrownBy(
              () -> shop.section("r", FencingToken.parse("9:a.1")).set("{other}:state", ""))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("put {r} into it");
    }
  }

  @Test
  void onACluster() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(binary, 3, 0);
        Sluice one = connect(cluster.uri() + STAGING);
        Sluice two = connect(cluster.uri() + STAGING);
        Sluice plain = connect(cluster.uri())) {
      for (int i = 0; i < 9; i++) { // some on each server
        assertHandsOver(one, two, "n" + i);
        Lease lease = plain.lock("n" + i).tryAcquire().orElseThrow();
        one.lock("n" + i).tryAcquire().orElseThrow().close();
        lease.checkHeld();
      }
      assertThat(one.inspect().lockNames(20).names()).hasSize(9);
      assertThat(plain.inspect().inventoryNames(20).names()).isEmpty();
      for (RedisServer master : cluster.masters()) {
        assertThat((List<?>) master.call("KEYS", "*"))
            .isNotEmpty()
            .allMatch(key -> String.valueOf(key).matches("(shop-staging:)?sl:\\{n\\d}:\\w+"));
      }
    }
  }

  @Test
  void onAQuorum() throws Exception {
    try (RedisServer a = RedisServer.start(binary);
        RedisServer b = RedisServer.start(binary);
        RedisServer c = RedisServer.start(binary)) {
      String uri =
          Stream.of(a, b, c)
              .map(each -> "127.0.0.1:" + each.port())
              .collect(Collectors.joining(",", "redis-quorum://", "?fresh=true"));
      try (Sluice one = connect(uri + "&namespace=shop");
          Sluice two = connect(uri.replace("?", "?namespace=shop&"));
          Sluice plain = connect(uri)) {
        assertThat(one.describe()).endsWith(" in namespace shop");
        Lease lease = plain.lock("x").acquire(AGES);
        assertHandsOver(one, two, "x");
        lease.checkHeld();
        assertThat(two.inspect().lockNames(9).names()).containsExactly("x");
        assertThat(String.valueOf(a.call("KEYS", "shop:*")))
            .contains("shop:sl:{x}:vote", "shop:sl:quorum");
        assertThat((List<?>) a.call("PUBSUB", "CHANNELS", "shop:sl:inbox:*")).isNotEmpty();
      }
      RedisURI first = RedisURI.create(a.uri());
      try (RedisQuorum quorum =
          RedisQuorum.connect(
              List.of(first, RedisURI.create(b.uri()), RedisURI.create(c.uri())),
              QuorumOptions.of(new BackendSettings(AGES, "shop")))) {
        assertThat(join(quorum.names(9))).containsExactly("x");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://127.0.0.1:1?namespace=Shop",
        "redis-sentinel://127.0.0.1:1/?namespace=Shop#main",
        "redis-cluster://127.0.0.1:1?namespace=Shop",
        "redis-quorum://a,b,c?namespace=Shop"
      })
  void aBadOneIsRefusedBeforeAnythingIsAsked(String uri) {
    for (Runnable use : List.<Runnable>of(() -> connect(uri).close(), () -> examine(uri))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "namespace must be 1 to 32 of a-z, 0-9 and '-', with no '-' at an end, and not 'sl':"
                  + " 'Shop'");
    }
    assertThatThrownBy(() -> RedisBackend.builder().namespace("sl"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
