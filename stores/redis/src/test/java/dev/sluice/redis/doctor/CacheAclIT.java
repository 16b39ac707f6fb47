package dev.sluice.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.BackendException;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheRequest.Aim;
import dev.sluice.spi.CacheValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Caches for a user with the documented rights, and for a user without one of them. */
@EachRedis
class CacheAclIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);
  private static final CacheKey KEY = new CacheKey("c", "k");
  private static final CacheValue OLD = new CacheValue(new byte[] {1}, HOUR, 0);

  /** All that caches call, but PUBLISH, which is a hint, and TYPE, for errors. */
  private static final List<String> NEEDED =
      List.of(
          "time",
          "get",
          "set",
          "getrange",
          "setrange",
          "unlink",
          "pttl",
          "pexpire",
          "xadd",
          "xrange",
          "scan");

  private final RedisServer server;
  private RedisBackend whole;

  CacheAclIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() {
    server.call("FLUSHALL");
    whole = OpenedRedis.connect(server.uri(), SETTINGS);
  }

  @AfterEach
  void close() {
    whole.close();
    server.call("ACL", "DELUSER", "sluice");
  }

  private RedisBackend userWithout(String... rights) {
    List<String> rules = new ArrayList<>(AclIT.documentedRules());
    for (String right : rights) {
      rules.add("-" + right);
    }
    server.call(
        Stream.concat(Stream.of("ACL", "SETUSER", "sluice"), rules.stream())
            .toArray(String[]::new));
    return OpenedRedis.connect("redis://sluice:secret@127.0.0.1:" + server.port(), SETTINGS);
  }

  private static CacheRequest request(String client, long attempt, Aim aim) {
    return new CacheRequest(KEY, client, attempt, HOUR, aim);
  }

  /** Every verb, in an order that has something to work on. */
  static Map<String, Function<CacheBackend, CompletionStage<?>>> calls() {
    Map<String, Function<CacheBackend, CompletionStage<?>>> calls = new LinkedHashMap<>();
    calls.put("begin", b -> b.begin(request("a", 1, Aim.LOAD)));
    calls.put("begin, busy", b -> b.begin(request("b", 1, Aim.LOAD)));
    calls.put("keep", b -> b.keep(KEY, "a", 1, 2 * HOUR));
    calls.put("fill", b -> b.fill(KEY, "a", 1, OLD));
    calls.put("begin, hit", b -> b.begin(request("b", 1, Aim.LOAD)));
    calls.put("read", b -> b.read(KEY));
    calls.put("refresh", b -> b.begin(request("b", 2, Aim.REFRESH)));
    calls.put("abandon", b -> b.abandon(KEY, "b", 2));
    calls.put("intend", b -> b.intend(KEY, "a", 3, HOUR));
    calls.put("begin, intended", b -> b.begin(request("b", 3, Aim.LOAD)));
    calls.put("invalidate", b -> b.invalidate(KEY, "a", 3));
    calls.put("put", b -> b.put(KEY, OLD));
    calls.put("clear", b -> b.clear("c"));
    calls.put("invalidate tag", b -> b.invalidateTag("c", "t", HOUR));
    calls.put("tag version", b -> b.tagVersion("c"));
    calls.put("tags", b -> b.invalidatedAt("c", List.of("t", "u")));
    calls.put("append", b -> b.append("c", "k"));
    calls.put("log", b -> b.log("c", "1-1 k"));
    return calls;
  }

  @Test
  void theDocumentedRightsAreEnoughForEveryVerb() {
    try (RedisBackend user = userWithout()) {
      CacheBackend caches = user.caches();
      get(caches.listenForLoads("a", key -> {}));
      calls().values().forEach(call -> get(call.apply(caches)));
      assertThat(immortal()).isEmpty();
      caches.unlistenForLoads("a");
    }
  }

  @Test
  void whoLacksARightIsToldAndNothingStaysForEver() {
    for (String lacking : NEEDED) {
      server.call("FLUSHALL");
      int refusals = 0;
      try (RedisBackend user = userWithout(lacking)) {
        for (var call : calls().entrySet()) {
          String what = call.getKey() + " without " + lacking;
          try {
            get(call.getValue().apply(user.caches()));
          } catch (CompletionException e) {
            refusals++;
            assertThat(e.getCause())
                .as(what)
                .isExactlyInstanceOf(BackendException.class)
                .hasMessageContaining("refused '");
            assertThat(e.getCause().getMessage())
                .as(what)
                .containsAnyOf("NOPERM", "can't run this command");
            assertThat(immortal()).as(what).isEmpty();
            get(call.getValue().apply(whole.caches())); // so that the next has something to do
          }
          assertThat(immortal()).as(what).isEmpty();
        }
      }
      assertThat(refusals).as("calls that need " + lacking).isPositive();
    }
  }

  @Test
  void aWriteThatIsRefusedHalfWayHasDroppedTheOldValue() {
    Map<String, Function<CacheBackend, CompletionStage<?>>> writes =
        Map.of(
            "intend", b -> b.intend(KEY, "a", 1, HOUR),
            "put", b -> b.put(KEY, new CacheValue(new byte[] {2}, HOUR, 0)));
    for (String lacking : List.of("set", "setrange")) {
      try (RedisBackend user = userWithout(lacking)) {
        for (var write : writes.entrySet()) {
          String what = write.getKey() + " without " + lacking;
          get(whole.caches().put(KEY, OLD));
          get(write.getValue().apply(user.caches()).handle((reply, refused) -> true));
          assertThat(get(whole.caches().begin(request("b", 9, Aim.LOAD))))
              .as(what)
              .isNotInstanceOf(CacheReply.Hit.class);
          get(whole.caches().invalidate(KEY, "a", 1));
        }
      }
    }
  }

  private List<String> immortal() {
    return ((List<?>) server.call("KEYS", "*"))
        .stream()
            .map(Object::toString)
            .filter(key -> !((long) server.call("PTTL", key) > 0))
            .toList();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
