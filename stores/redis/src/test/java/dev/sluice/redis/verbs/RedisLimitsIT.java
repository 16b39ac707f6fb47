package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.ForeignDataException;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Settlement;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRequest.Verb;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.spi.ThrottleRequest;
import dev.sluice.state.LimitState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The data of limits at the server, their cost, and their effect on foreign data. */
@EachRedis
class RedisLimitsIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(10));
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String EIGHTEEN = "customer-000%06d";
  private static final int MANY = 30_000;

  private final RedisServer server;
  private RedisBackend backend;

  RedisLimitsIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() {
    server.call("FLUSHALL");
    server.call("SCRIPT", "FLUSH");
    backend = OpenedRedis.connect(server.uri(), SETTINGS);
  }

  @AfterEach
  void disconnect() {
    backend.close();
  }

  private static List<Limit> everyKind() {
    return List.of(
        Limit.gcra(10, HOUR),
        Limit.gcra(999_983, HOUR).burst(10), // kept packed: too many digits
        Limit.fixedWindow(10, HOUR),
        Limit.slidingLog(10, HOUR),
        Limit.slidingWindow(10, HOUR),
        Limit.expiringWindow(10, HOUR));
  }

  private static List<LimitRule> rules(Limit... limits) {
    return LimitRule.of(List.of(limits), 0, CarryOver.KEEP, 0);
  }

  private LimitReply take(String limiter, String key, List<LimitRule> rules) {
    return join(
        backend.limits().decide(new LimitRequest(Verb.TAKE, limiter, key, rules, 1, 1, 0, 0)));
  }

  private QueueRequest caller(long ticket) {
    return new QueueRequest("l", "k", "me", ticket, 1, 60_000_000, 10, HOUR.toMillis() * 1000);
  }

  // ---- keys ----

  @Test
  void keysSayWhoseTheyAreAndNeverMeet() {
    take("a", "b:c", rules(Limit.gcra(1, HOUR)));
    take("a:b", "c", rules(Limit.gcra(1, HOUR)));
    take("x", "k", rules(Limit.gcra(1, HOUR), Limit.fixedWindow(5, HOUR).name("day")));
    take("y", "k", rules(Limit.gcra(1, HOUR), Limit.gcra(9, HOUR).shared()));
    take("{", "%", rules(Limit.gcra(1, HOUR)));
    join(backend.limits().throttle("k", ThrottleRequest.of(1, 1, 60, 1)));
    join(backend.limits().enter(caller(1)));
    join(backend.limits().enter(caller(2)));
    assertThat((List<?>) server.call("KEYS", "*"))
        .map(String::valueOf)
        .containsExactlyInAnyOrder(
            "sl:{a:b:c}:l1",
            "sl:{a%3Ab:c}:l1",
            "sl:{x:k}:l1",
            "sl:{x:k}:l:day",
            "sl:{y}:l1:k",
            "sl:{y}:l2",
            "sl:{%7B:%25}:l1",
            "sl:{k}:throttle",
            "sl:{l:k}:q",
            "sl:{l:k}:turns");
  }

  @Test
  void aTierIsNeverTakenForALock() {
    take("orders", "k", rules(Limit.gcra(1, HOUR).name("ock").shared()));
    take("orders", "k", rules(Limit.gcra(1, HOUR).name("ock")));
    assertThat(join(backend.locks().names(10))).isEmpty();
    join(backend.locks().acquire(new GrantRequest("orders", "me", 1, 30_000_000, 1, false)));
    assertThat(join(backend.locks().names(10))).containsExactly("orders");
  }

  @Test
  void forgettingLeavesSharedTiersAlone() {
    List<LimitRule> rules = rules(Limit.gcra(1, HOUR), Limit.gcra(9, HOUR).shared());
    take("y", "k", rules);
    assertThat(take("y", "k", rules).granted()).isZero();
    join(backend.limits().forget("y", "k", rules));
    assertThat(server.call("KEYS", "*")).isEqualTo(List.of("sl:{y}:l2"));
    assertThat(take("y", "k", rules).granted()).isOne();
    join(backend.limits().enter(caller(1)));
    join(backend.limits().enter(caller(2)));
    join(backend.limits().forget("l", "k", List.of()));
    assertThat(join(backend.limits().enter(caller(3))).delay()).isZero();
  }

  @Test
  void allThatIsSharedIsCountedTogether() {
    List<LimitRule> rules = rules(Limit.gcra(5, HOUR), Limit.gcra(3, HOUR).shared());
    for (String key : List.of("a", "b", "c")) {
      assertThat(take("y", key, rules).granted()).isOne();
    }
    LimitReply refused = take("y", "d", rules);
    assertThat(refused.granted()).isZero();
    assertThat(refused.tier()).isOne();
    assertThat(server.call("EXISTS", "sl:{y}:l1:d")).isEqualTo(0L);
  }

  // ---- foreign data ----

  @Test
  void whatIsNotOursIsRefusedAndLeftAlone() {
    List<String> texts =
        List.of(
            "",
            "hello",
            "12",
            "-795201234567890",
            "0123456789012345",
            "1.23456789012e15",
            "0x38D7EA4C680000",
            " 17952012345678",
            "1795201234567890x",
            "12345678901234567890",
            "9999999999999999999",
            "1000123456789012345",
            "{\"tat\": 1795201234567890}",
            "\1",
            "\3" + "\0".repeat(43),
            "\4" + "\0".repeat(60),
            "\1\0\0" + "\0\0\0\0\0\0\1".repeat(4),
            "\3\0\0" + "\0\0\0\0\0\0\1".repeat(4) + "\0".repeat(13) + "x");
    for (Limit limit : everyKind()) {
      for (String text : texts) {
        server.call("SET", "sl:{l:k}:l1", text);
        assertForeign("sl:{l:k}:l1", () -> take("l", "k", rules(limit)));
        assertThat(server.call("GET", "sl:{l:k}:l1")).as(limit + " on " + text).isEqualTo(text);
        LimitState.Cell cell = new LimitState.Cell();
        cell.bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        assertThatThrownBy(
                () ->
                    LimitState.decide(
                        1_795_201_234_567_890L,
                        new LimitRequest(Verb.TAKE, "l", "k", rules(limit), 1, 1, 0, 0),
                        new LimitState.Cell[] {cell}))
            .isInstanceOf(ForeignDataException.class);
      }
      server.call("DEL", "sl:{l:k}:l1");
      server.call("RPUSH", "sl:{l:k}:l1", "mine");
      assertForeign("sl:{l:k}:l1", () -> take("l", "k", rules(limit)));
      assertThat(server.call("LRANGE", "sl:{l:k}:l1", "0", "-1")).isEqualTo(List.of("mine"));
      server.call("DEL", "sl:{l:k}:l1");
    }
  }

  @Test
  void aForeignSecondTierKeepsTheFirstUntouched() {
    server.call("SET", "sl:{l:k}:l2", "mine");
    for (Limit limit : everyKind()) {
      assertForeign("sl:{l:k}:l2", () -> take("l", "k", rules(limit, Limit.fixedWindow(5, HOUR))));
      assertThat(server.call("EXISTS", "sl:{l:k}:l1")).isEqualTo(0L);
    }
  }

  @Test
  void aForeignQueueIsRefusedAndLeftAlone() {
    for (String text : List.of("", "hello", "1 2", "1 2 x", "-1 2 3")) {
      server.call("SET", "sl:{l:k}:q", text);
      assertForeign("sl:{l:k}:q", () -> join(backend.limits().enter(caller(1))));
      assertForeign("sl:{l:k}:q", () -> join(backend.limits().advance(caller(1))));
      assertForeign("sl:{l:k}:q", () -> join(backend.limits().leave(caller(1))));
      assertThat(server.call("GET", "sl:{l:k}:q")).isEqualTo(text);
    }
    server.call("DEL", "sl:{l:k}:q");
    server.call("SET", "sl:{l:k}:turns", "mine");
    assertForeign("sl:{l:k}:turns", () -> join(backend.limits().enter(caller(1))));
    server.call("DEL", "sl:{l:k}:turns");
    server.call("ZADD", "sl:{l:k}:turns", "1", "mine");
    assertForeign("sl:{l:k}:turns", () -> join(backend.limits().enter(caller(1))));
    assertThat(server.call("ZSCORE", "sl:{l:k}:turns", "mine")).isEqualTo("1");
    assertThat(server.call("EXISTS", "sl:{l:k}:q")).isEqualTo(0L);
  }

  @Test
  void aForeignThrottleIsRefusedAndLeftAlone() {
    ThrottleRequest request = ThrottleRequest.of(5, 7, 60, 1);
    for (String text : List.of("", "hello", "17", "1795201234567890 1", "1795201234567890 0/7")) {
      server.call("SET", "sl:{k}:throttle", text);
      assertForeign("sl:{k}:throttle", () -> join(backend.limits().throttle("k", request)));
      assertThat(server.call("GET", "sl:{k}:throttle")).isEqualTo(text);
    }
    server.call("DEL", "sl:{k}:throttle");
    server.call("SADD", "sl:{k}:throttle", "mine");
    assertForeign("sl:{k}:throttle", () -> join(backend.limits().throttle("k", request)));
  }

  private void assertForeign(String key, Runnable call) {
    assertThatThrownBy(call::run)
        .hasCauseInstanceOf(ForeignDataException.class)
        .hasMessageContaining("'" + key + "'");
    assertThat(server.call("PING")).isEqualTo("PONG");
  }

  // ---- memory and expiry ----

  @Test
  void aBucketCostsAtMost140BytesAndTenSlots260() {
    long bucket = bytesPerKey(rules(Limit.gcra(7, HOUR).burst(10)));
    long slots = bytesPerKey(rules(Limit.slidingWindow(100, HOUR)));
    assertThat(bucket).as("bytes of a bucket").isBetween(1L, 140L);
    assertThat(slots).as("bytes of ten slots").isBetween(1L, 260L);
  }

  private long bytesPerKey(List<LimitRule> rules) {
    server.call("FLUSHALL");
    take("api", "warm-up", rules);
    server.call("FLUSHALL");
    long before = usedMemory();
    List<CompletionStage<LimitReply>> replies = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      LimitRequest request =
          new LimitRequest(Verb.TAKE, "api", EIGHTEEN.formatted(i), rules, 1 + i % 3, 1, 0, 0);
      replies.add(backend.limits().decide(request));
    }
    replies.forEach(RedisLimitsIT::join);
    assertThat(server.call("DBSIZE")).isEqualTo((long) MANY);
    return (usedMemory() - before) / MANY;
  }

  private long usedMemory() {
    Matcher used =
        Pattern.compile("used_memory:(\\d+)").matcher("" + server.call("INFO", "memory"));
    assertThat(used.find()).isTrue();
    return Long.parseLong(used.group(1));
  }

  @Test
  void whatIsFullAgainCostsNothing() {
    Duration moment = Duration.ofMillis(100);
    long start = System.nanoTime();
    take(
        "l",
        "k",
        rules(
            Limit.gcra(1, moment),
            Limit.fixedWindow(1, moment),
            Limit.slidingLog(1, moment),
            Limit.slidingWindow(1, moment),
            Limit.expiringWindow(1, moment)));
    join(backend.limits().enter(new QueueRequest("l", "q", "me", 1, 1, 100_000, 10, 1_000_000)));
    join(backend.limits().throttle("k", ThrottleRequest.of(1, 10, 1, 1)));
    Object keys = server.call("DBSIZE");
    if (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1)) { // else the first may be gone
      assertThat(keys).isEqualTo(7L);
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> server.call("DBSIZE").equals(0L));
  }

  @Test
  void everyKeyExpiresAMarginAfterItIsFull() {
    for (Limit limit : everyKind()) {
      LimitReply reply = take("l", "k" + limit.algorithm() + limit.count(), rules(limit));
      long pttl =
          (Long) server.call("PTTL", "sl:{l:k" + limit.algorithm() + limit.count() + "}:l1");
      assertThat(pttl).as(limit.toString()).isLessThanOrEqualTo(reply.reset() / 1000 + 1001);
      assertThat(pttl).isGreaterThan(reply.reset() / 1000 - 5000);
    }
  }

  @Test
  void whateverWasDoneEveryKeyHasAnExpiry() {
    SplittableRandom random = new SplittableRandom(7);
    List<CompletionStage<?>> replies = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      Limit one = everyKind().get(random.nextInt(everyKind().size()));
      Limit two = everyKind().get(random.nextInt(everyKind().size()));
      String key = "k" + random.nextInt(40);
      Verb verb = Verb.values()[random.nextInt(4)];
      List<LimitRule> rules = LimitRule.of(List.of(one, two), random.nextInt(3), CarryOver.KEEP, 0);
      replies.add(
          backend
              .limits()
              .decide(
                  new LimitRequest(
                      verb, "l", key, rules, random.nextInt(4), 1, random.nextInt(2) * 9999, 1)));
      if (random.nextInt(4) == 0) {
        replies.add(
            backend
                .limits()
                .settle(
                    new SettleRequest(
                        "l",
                        key,
                        rules,
                        "u" + i,
                        1,
                        random.nextInt(4),
                        false,
                        System.currentTimeMillis() * 1000,
                        1_000_000)));
      }
      QueueRequest queued = new QueueRequest("q", key, "me", i, 1, 60_000_000, 5, 600_000_000);
      QueueRequest before =
          new QueueRequest("q", key, "me", i - random.nextInt(99), 1, 60_000_000, 5, 0);
      replies.add(
          switch (random.nextInt(3)) {
            case 0 -> backend.limits().enter(queued);
            case 1 -> backend.limits().advance(before);
            default -> backend.limits().leave(before);
          });
      replies.add(
          backend.limits().throttle(key, ThrottleRequest.of(3, 7, 60, random.nextInt(-1, 3))));
    }
    replies.forEach(RedisLimitsIT::join);
    List<?> keys = (List<?>) server.call("KEYS", "sl:*");
    assertThat(keys).hasSizeGreaterThan(80);
    for (Object key : keys) {
      assertThat(server.call("PTTL", "" + key)).as("%s; -2 if it is over", key).isNotEqualTo(-1L);
    }
  }

  // ---- the wire ----

  @Test
  void aDecisionIsOneCallAndSurvivesForgottenScripts() {
    for (Limit limit : everyKind()) {
      take("l", "warm" + limit, rules(limit));
    }
    server.call("CONFIG", "RESETSTAT");
    for (Limit limit : everyKind()) {
      take("l", "k" + limit, rules(limit));
    }
    String stats = "" + server.call("INFO", "commandstats");
    assertThat(stats).contains("cmdstat_evalsha:calls=" + everyKind().size() + ",");
    assertThat(stats).doesNotContain("cmdstat_eval:");
    server.call("SCRIPT", "FLUSH");
    for (Limit limit : everyKind()) {
      assertThat(take("l", "k" + limit, rules(limit)).granted()).isOne();
    }
    server.call("SCRIPT", "FLUSH");
    assertThat(join(backend.limits().enter(caller(1))).admitted()).isTrue();
    assertThat(join(backend.limits().throttle("k", ThrottleRequest.of(1, 1, 1, 1))).limited())
        .isZero();
  }

  @Test
  void aSettlementIsOneCallOfUpToEightTiers() {
    Limit[] tiers = new Limit[8];
    Arrays.setAll(tiers, i -> everyKind().get(i % 6).name("tier" + i));
    List<LimitRule> rules = rules(tiers);
    LimitRequest begin = new LimitRequest(Verb.BEGIN, "l", "k", rules, 4, 1, 0, 0);
    long at = join(backend.limits().decide(begin)).at();
    assertThat(join(backend.limits().settle(settlement(rules, "warm", at))))
        .isEqualTo(Settlement.COUNTED);
    server.call("CONFIG", "RESETSTAT");
    assertThat(join(backend.limits().settle(settlement(rules, "a", at))))
        .isEqualTo(Settlement.COUNTED);
    assertThat("" + server.call("INFO", "commandstats"))
        .contains("cmdstat_evalsha:calls=1,")
        .doesNotContain("cmdstat_eval:");
    server.call("SCRIPT", "FLUSH");
    assertThat(join(backend.limits().settle(settlement(rules, "a", at))))
        .isEqualTo(Settlement.REPEATED);
    LimitRequest look = new LimitRequest(Verb.PEEK, "l", "k", rules, 0, 1, 0, 0);
    assertThat(join(backend.limits().decide(look)).remaining()).isEqualTo(8);
  }

  @Test
  void aForeignIdIsRefusedAndNothingIsSettled() {
    List<LimitRule> rules = rules(Limit.fixedWindow(10, HOUR));
    LimitRequest begin = new LimitRequest(Verb.BEGIN, "l", "k", rules, 4, 1, 0, 0);
    long at = join(backend.limits().decide(begin)).at();
    Object before = server.call("DUMP", "sl:{l:k}:l1");
    server.call("RPUSH", "sl:{l:k}:u:a", "mine");
    assertForeign("sl:{l:k}:u:a", () -> join(backend.limits().settle(settlement(rules, "a", at))));
    assertThat(server.call("DUMP", "sl:{l:k}:l1")).isEqualTo(before);
    assertThat(server.call("LRANGE", "sl:{l:k}:u:a", "0", "-1")).isEqualTo(List.of("mine"));
    server.call("SET", "sl:{l:k}:l1", "mine");
    assertForeign("sl:{l:k}:l1", () -> join(backend.limits().settle(settlement(rules, "b", at))));
    assertThat(server.call("EXISTS", "sl:{l:k}:u:b")).isEqualTo(0L);
  }

  /** Of a use that was estimated at 4 and has cost 3. */
  private static SettleRequest settlement(List<LimitRule> rules, String id, long begunAt) {
    return new SettleRequest("l", "k", rules, id, 4, 3, false, begunAt, HOUR.toMillis() * 1000);
  }

  @Test
  void locksAndTurnsShareOneChannel() throws InterruptedException {
    BlockingQueue<Long> tickets = new LinkedBlockingQueue<>();
    BlockingQueue<Object> messages = new LinkedBlockingQueue<>();
    join(backend.locks().listen("me", messages::add));
    join(backend.limits().listenForTurns("me", tickets::add));
    assertThat(server.call("PUBSUB", "CHANNELS", "sl:*")).isEqualTo(List.of("sl:inbox:me"));
    backend.locks().unlisten("me");
    for (long ticket = 1; ticket <= 3; ticket++) {
      QueueReply reply = join(backend.limits().enter(caller(ticket)));
      assertThat(reply.admitted()).isTrue();
    }
    server.call("PUBLISH", "sl:inbox:me", "turn nobody");
    assertThat(join(backend.limits().leave(caller(2)))).isTrue();
    assertThat(tickets.poll(20, TimeUnit.SECONDS)).isEqualTo(3);
    assertThat(messages).isEmpty();
    backend.limits().unlistenForTurns("me");
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> ((List<?>) server.call("PUBSUB", "CHANNELS", "sl:*")).isEmpty());
  }

  private static <T> T join(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture().copy();
    return future.orTimeout(20, TimeUnit.SECONDS).join();
  }
}
