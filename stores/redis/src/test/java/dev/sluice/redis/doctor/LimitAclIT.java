package dev.sluice.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.Settlement;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRequest.Verb;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.spi.ThrottleRequest;
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

/** Limits for a user with the documented rights, and for a user without one of them. */
@EachRedis
class LimitAclIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));
  private static final Duration WINDOW = Duration.ofDays(10);
  private static final long INTERVAL = TimeUnit.HOURS.toMicros(1);

  /** All that the scripts of limits call, but PUBLISH, which is a hint, and TYPE, for errors. */
  private static final List<String> NEEDED =
      List.of(
          "time",
          "get",
          "set",
          "pexpire",
          "del",
          "exists",
          "getrange",
          "setrange",
          "strlen",
          "zadd",
          "zrem",
          "zcard",
          "zrange",
          "zscore",
          "zrangebyscore",
          "zrevrangebyscore");

  private final RedisServer server;
  private RedisBackend whole;

  LimitAclIT(RedisServer server) {
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

  private RedisBackend userWithout(String... commands) {
    List<String> rules = new ArrayList<>(AclIT.documentedRules());
    for (String command : commands) {
      rules.add("-" + command);
    }
    server.call(
        Stream.concat(Stream.of("ACL", "SETUSER", "sluice"), rules.stream())
            .toArray(String[]::new));
    return OpenedRedis.connect("redis://sluice:secret@127.0.0.1:" + server.port(), SETTINGS);
  }

  private static List<Limit> limits() {
    return List.of(
        Limit.fixedWindow(9, WINDOW),
        Limit.slidingLog(9, WINDOW),
        Limit.slidingWindow(9, WINDOW),
        Limit.gcra(9, WINDOW),
        Limit.expiringWindow(9, WINDOW));
  }

  private static LimitRequest request(Verb verb, String limiter, Limit... limits) {
    List<LimitRule> rules = LimitRule.of(List.of(limits), 0, CarryOver.KEEP, 0);
    return new LimitRequest(verb, limiter, "user", rules, 1, 1, 0, 1_000_000);
  }

  /** Of a use that begins now; it must count, so nothing may know its id. */
  private static CompletionStage<?> settle(
      LimitBackend limits, String limiter, long actual, Limit limit) {
    SettleRequest request =
        new SettleRequest(
            limiter,
            "user",
            request(Verb.BEGIN, limiter, limit).rules(),
            "use-" + actual,
            1,
            actual,
            false,
            TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) - 1_000_000,
            INTERVAL);
    return limits
        .settle(request)
        .thenAccept(settled -> assertThat(settled).isEqualTo(Settlement.COUNTED));
  }

  private static QueueRequest ticket(long ticket, long cost) {
    return new QueueRequest("queue", "user", "a", ticket, cost, INTERVAL, 50, 50 * INTERVAL);
  }

  /** Every verb and every way of counting, in an order that has something to work on. */
  static Map<String, Function<LimitBackend, CompletionStage<?>>> calls() {
    Map<String, Function<LimitBackend, CompletionStage<?>>> calls = new LinkedHashMap<>();
    for (Limit limit : limits()) {
      String name = limit.algorithm().word();
      for (int i = 0; i < 3; i++) {
        calls.put(name + " " + i, b -> b.decide(request(Verb.TAKE, name, limit)));
      }
      calls.put(name + " begin", b -> b.decide(request(Verb.BEGIN, name, limit)));
      calls.put(name + " settle", b -> settle(b, name, 3, limit));
      calls.put(name + " settle back", b -> settle(b, name, 0, limit));
      calls.put(name + " back", b -> b.decide(request(Verb.GIVE_BACK, name, limit)));
    }
    Limit one = Limit.gcra(9, WINDOW).name("a");
    Limit two = Limit.fixedWindow(5, WINDOW).name("b");
    calls.put("tiers", b -> b.decide(request(Verb.TAKE, "tiers", one, two)));
    for (int i = 1; i <= 4; i++) {
      long number = i;
      calls.put("enter " + i, b -> b.enter(ticket(number, 1)));
    }
    calls.put("leave", b -> b.leave(ticket(2, 1)));
    calls.put("advance", b -> b.advance(ticket(3, 1)));
    calls.put("throttle", b -> b.throttle("cell", ThrottleRequest.of(4, 5, 86_400, 1)));
    calls.put("throttle back", b -> b.throttle("cell", ThrottleRequest.of(4, 5, 86_400, -5)));
    Limit gone = limits().get(1);
    calls.put("forget", b -> b.forget("sliding-log", "user", request(Verb.PEEK, "", gone).rules()));
    return calls;
  }

  /** Permits that are left everywhere, and the queue: how many wait, and for how many turns. */
  private List<Long> state() {
    List<Long> state = new ArrayList<>();
    for (Limit limit : limits()) {
      state.add(left(limit.algorithm().word(), limit));
    }
    Limit one = Limit.gcra(9, WINDOW).name("a");
    Limit two = Limit.fixedWindow(5, WINDOW).name("b");
    for (Limit tier : List.of(one, two)) {
      state.add(left("tiers", tier));
    }
    QueueReply queue = get(whole.limits().enter(ticket(0, 0)));
    state.add((long) queue.waiting());
    state.add((queue.drain() + INTERVAL - 1) / INTERVAL);
    state.add(
        get(whole.limits().throttle("cell", ThrottleRequest.of(4, 5, 86_400, 0))).remaining());
    return state;
  }

  @Test
  void theDocumentedRightsAreEnoughForEveryVerb() {
    try (RedisBackend user = userWithout()) {
      calls().values().forEach(call -> get(call.apply(user.limits()))); // fails with any refusal
      QueueRequest brief = new QueueRequest("brief", "user", "a", 1, 1, 1000, 50, INTERVAL);
      get(user.limits().enter(brief));
      get(user.limits().enter(brief)); // waits a millisecond; then its turn is dropped
      await().until(() -> get(user.limits().enter(brief)).waiting() < 2);
      assertThat(immortal()).isEmpty();
    }
    server.call("FLUSHALL");
    server.call("SADD", "sl:{gcra:user}:l1", "x");
    try (RedisBackend user = userWithout()) {
      CompletionStage<LimitReply> foreign =
          user.limits().decide(request(Verb.TAKE, "gcra", limits().get(3)));
      assertThatThrownBy(() -> get(foreign)).hasMessageContaining("holds a set");
    }
  }

  /**
   * Permits that are left. GCRA refills all the time, and what it has left is rounded down: when
   * the server's clock steps back by a moment, that is one less. So its time until full counts.
   */
  private long left(String limiter, Limit limit) {
    LimitReply reply = get(whole.limits().decide(request(Verb.PEEK, limiter, limit)));
    return limit.algorithm() == Limit.Algorithm.GCRA
        ? 9 - Math.round(reply.reset() * 9.0 / TimeUnit.DAYS.toMicros(10))
        : reply.remaining();
  }

  @Test
  void whoLacksARightIsToldAndNothingIsHalfDone() {
    for (String lacking : NEEDED) {
      server.call("FLUSHALL");
      int refusals = 0;
      try (RedisBackend user = userWithout(lacking)) {
        for (var call : calls().entrySet()) {
          String what = call.getKey() + " without " + lacking;
          List<Long> before = state();
          try {
            get(call.getValue().apply(user.limits()));
          } catch (CompletionException e) {
            refusals++;
            assertThat(e.getCause())
                .as(what)
                .isExactlyInstanceOf(BackendException.class)
                .hasMessageContaining("refused '");
            assertThat(e.getCause().getMessage())
                .as(what)
                .containsAnyOf("NOPERM", "can't run this command");
            assertThat(state()).as(what).isEqualTo(before);
            get(call.getValue().apply(whole.limits())); // so that the next has something to do
          }
          assertThat(immortal()).as(what).isEmpty();
        }
      }
      assertThat(refusals).as("calls that need " + lacking).isPositive();
    }
  }

  private List<String> immortal() {
    return ((List<?>) server.call("KEYS", "*"))
        .stream()
            .map(Object::toString)
            .filter(key -> !((long) server.call("PTTL", key) > 0))
            .toList();
  }

  /** With patience: a server that gets no processor for two seconds has refused nothing. */
  private Sluice patient() {
    return Sluice.builder()
        .uri("redis://sluice:secret@127.0.0.1:" + server.port())
        .requestTimeout(Duration.ofSeconds(20))
        .build();
  }

  @Test
  void aLimiterWithoutARightFollowsItsPolicyAndARefundFails() {
    userWithout("set").close();
    try (Sluice sluice = patient()) {
      RateLimiterOptions options =
          RateLimiterOptions.of(Limit.gcra(9, WINDOW)).deadline(Duration.ofSeconds(20));
      RateLimiter limiter = sluice.rateLimiter("closed", options);
      Decision decision = limiter.tryAcquire("user");
      assertThat(decision.allowed()).isFalse();
      assertThat(decision.source()).isEqualTo(Decision.Source.FALLBACK);
      assertThat(server.call("KEYS", "*")).isEqualTo(List.of());
    }
    userWithout("del").close();
    try (Sluice sluice = patient()) {
      RateLimiter limiter =
          sluice.rateLimiter(
              "reset",
              RateLimiterOptions.of(Limit.gcra(9, WINDOW)).deadline(Duration.ofSeconds(20)));
      assertThatThrownBy(() -> limiter.reset("user"))
          .isExactlyInstanceOf(BackendException.class)
          .hasMessageContaining("rate limiter 'reset'")
          .hasMessageContaining("refused 'forget'");
    }
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
