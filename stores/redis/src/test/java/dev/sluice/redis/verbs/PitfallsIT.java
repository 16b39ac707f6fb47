package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.memory.ManualTime;
import dev.sluice.redis.PatientClient;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs the cases of docs/limits-pitfalls.md: first the textbook scheme that goes wrong, then the
 * limiter under the same schedule, on the same real server.
 */
@EachRedis
class PitfallsIT {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long HOUR_MILLIS = HOUR.toMillis();

  /** Where the limiter keeps what the user has spent. */
  private static final String COUNT = "sl:{api:user}:l1";

  private final RedisServer server;
  private final Textbook textbook;
  private final ManualTime time = new ManualTime();
  private VirtualRedis redis;
  private Sluice sluice;

  PitfallsIT(RedisServer server) {
    this.server = server;
    this.textbook = new Textbook(server);
  }

  @BeforeEach
  void connect() {
    redis = new VirtualRedis(server, UnaryOperator.identity()); // empties the server
    redis.at(time.storeMicros());
    sluice = client(time);
  }

  @AfterEach
  void close() {
    sluice.close();
    redis.close();
  }

  private Sluice client(ManualTime clock) {
    return Sluice.builder().backend(redis.backend).time(clock, clock).build();
  }

  /** Moves the store's clock to a time since the start of the test. */
  private void at(long millis) {
    time.advance(Duration.ofMillis(millis).minusNanos(time.nanos()));
    redis.at(time.storeMicros());
  }

  private RateLimiter limiter(Limit... limits) {
    return sluice.rateLimiter("api", limits);
  }

  private static int admitted(int calls, RateLimiter limiter) {
    int admitted = 0;
    for (int i = 0; i < calls; i++) {
      admitted += limiter.tryAcquire("user").allowed() ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void doubleBurstAtTheEdgeOfAWindow() {
    String scheme = Textbook.FIXED_WINDOW;
    long before = HOUR_MILLIS - 1;
    assertThat(textbook.admitted(100, scheme, "x", 100, HOUR_MILLIS, before)).isEqualTo(100);
    assertThat(textbook.admitted(100, scheme, "x", 100, HOUR_MILLIS, HOUR_MILLIS)).isEqualTo(100);

    RateLimiter limiter = limiter(Limit.slidingWindow(100, HOUR));
    at(before);
    assertThat(admitted(100, limiter)).isEqualTo(100);
    at(HOUR_MILLIS);
    assertThat(admitted(100, limiter)).isZero();
  }

  @Test
  void doubleBurstBehindAWeightedAverage() {
    String scheme = Textbook.TWO_WINDOWS;
    long first = HOUR_MILLIS - 1;
    long second = 2 * HOUR_MILLIS - 36_000; // 99 % into the next window, less than one later
    assertThat(textbook.admitted(100, scheme, "x", 100, HOUR_MILLIS, first)).isEqualTo(100);
    assertThat(textbook.admitted(100, scheme, "x", 100, HOUR_MILLIS, second)).isEqualTo(99);

    RateLimiter limiter = limiter(Limit.slidingWindow(100, HOUR));
    at(first);
    assertThat(admitted(100, limiter)).isEqualTo(100);
    at(second);
    assertThat(admitted(100, limiter)).isZero();
  }

  @Test
  void logThatRecordsRefusals() {
    int passed = 0;
    int ours = 0;
    RateLimiter limiter = limiter(Limit.slidingLog(5, HOUR));
    for (long at = 0; at < 10 * HOUR_MILLIS; at += HOUR_MILLIS / 10) { // knocks ten times an hour
      passed += textbook.admits(Textbook.LOG_OF_ALL_CALLS, "x", 5, HOUR_MILLIS, at) ? 1 : 0;
      at(at);
      ours += admitted(1, limiter);
    }
    assertThat(passed).as("let in at first, then never again").isEqualTo(5);
    assertThat(ours).as("let in five times an hour").isEqualTo(50);
  }

  @Test
  void logThatTakesCallsOfOneMomentForOne() {
    assertThat(textbook.admitted(100, Textbook.LOG_BY_TIME, "x", 5, HOUR_MILLIS, 0)).isEqualTo(100);

    assertThat(admitted(100, limiter(Limit.slidingLog(5, HOUR)))).isEqualTo(5);
  }

  @Test
  void bucketThatForgetsToWriteItsTokensBack() {
    String scheme = Textbook.BUCKET_WITHOUT_WRITE_BACK;
    assertThat(textbook.admitted(100, scheme, "x", 5, HOUR_MILLIS, 0)).isEqualTo(100);

    assertThat(admitted(100, limiter(Limit.tokenBucket(1, HOUR).burst(5)))).isEqualTo(5);
  }

  @Test
  void bucketThatForgetsFractions() {
    int passed = 0;
    int ours = 0;
    RateLimiter limiter = limiter(Limit.tokenBucket(1, HOUR).burst(5));
    for (long at = 0; at <= 10 * HOUR_MILLIS; at += HOUR_MILLIS / 4) {
      passed += textbook.admits(Textbook.BUCKET_WITHOUT_FRACTIONS, "x", 5, HOUR_MILLIS, at) ? 1 : 0;
      at(at);
      ours += admitted(1, limiter);
    }
    assertThat(passed).as("a caller who knocks too often starves").isEqualTo(5);
    assertThat(ours).as("five, and one an hour").isEqualTo(15);
  }

  @Test
  void refillByWholeSeconds() {
    String scheme = Textbook.BUCKET_BY_SECONDS;
    assertThat(textbook.admitted(20, scheme, "x", 10, 10, 999)).isEqualTo(10);
    assertThat(textbook.admitted(20, scheme, "x", 10, 10, 1001)).as("2 ms later").isEqualTo(10);

    RateLimiter limiter = limiter(Limit.tokenBucket(10, SECOND));
    at(999);
    assertThat(admitted(20, limiter)).isEqualTo(10);
    at(1001);
    assertThat(admitted(20, limiter)).isZero();
  }

  @Test
  void readDecideWriteInSeveralCommands() {
    List<Integer> seen = new ArrayList<>();
    server.call("SET", "x", "0");
    for (int caller = 0; caller < 10; caller++) { // all read before the first one writes
      seen.add(Integer.parseInt(String.valueOf(server.call("GET", "x"))));
    }
    int passed = 0;
    for (int count : seen) {
      if (count < 1) {
        server.call("SET", "x", "" + (count + 1));
        passed++;
      }
    }
    assertThat(passed).as("of a limit of one").isEqualTo(10);

    List<RateLimiter> callers = new ArrayList<>();
    List<Sluice> clients = new ArrayList<>();
    for (int caller = 0; caller < 10; caller++) {
      Sluice client = client(time);
      clients.add(client);
      callers.add(client.rateLimiter("api", Limit.fixedWindow(1, HOUR)));
    }
    long ours =
        callers.parallelStream().filter(caller -> caller.tryAcquire("user").allowed()).count();
    clients.forEach(Sluice::close);
    assertThat(ours).isEqualTo(1);
  }

  @Test
  void decrementOfAKeyThatExpiresInBetween() {
    server.call("SET", "x", "5", "PX", "60000"); // five calls left in this minute
    assertThat(server.call("GET", "x")).isEqualTo("5");
    expire("x"); // the minute ends between the look and the step
    assertThat(server.call("DECR", "x")).isEqualTo(-1L);
    assertThat(server.call("PTTL", "x")).as("nobody will ever set it back").isEqualTo(-1L);

    RateLimiter limiter = limiter(Limit.expiringWindow(5, Duration.ofMinutes(1)));
    assertThat(admitted(4, limiter)).isEqualTo(4);
    assertThat(limiter.peek("user", 1).allowed()).isTrue();
    server.call("DEL", COUNT);
    assertThat(admitted(9, limiter)).as("a key that is missing is full").isEqualTo(5);
    assertThat(server.call("PTTL", COUNT)).asInstanceOf(LONG).isPositive();
  }

  @Test
  void incrementAndExpiryApart() {
    server.call("INCR", "x");
    // here the caller's process died, and with it the PEXPIRE
    for (int i = 0; i < 10; i++) {
      server.call("INCR", "x");
    }
    assertThat(server.call("PTTL", "x")).as("eleven of ten, for ever").isEqualTo(-1L);

    RateLimiter limiter = limiter(Limit.expiringWindow(10, Duration.ofMinutes(1)));
    for (int i = 0; i < 11; i++) {
      limiter.tryAcquire("user");
      assertThat(server.call("PTTL", COUNT)).asInstanceOf(LONG).isPositive();
    }
    at(60_000);
    assertThat(limiter.tryAcquire("user", 10).allowed()).isTrue();
  }

  @Test
  void timeBeforeAWrite() {
    if (server.binary().version().startsWith("6.")) { // the last that can still be told to
      server.call("CONFIG", "SET", "lua-replicate-commands", "no");
      try {
        assertThatThrownBy(() -> textbook.admits(Textbook.BY_SERVER_TIME, "x", 1000))
            .hasMessageContaining("Write commands not allowed after non deterministic commands");
      } finally {
        server.call("CONFIG", "SET", "lua-replicate-commands", "yes");
      }
    }
    assertThat(textbook.admits(Textbook.BY_SERVER_TIME, "x", 1000)).isTrue();
    askInRealTime();
  }

  /** One admission by the scripts as they are in earnest: the server's time, real expiries. */
  private void askInRealTime() {
    RateLimiterOptions options =
        RateLimiterOptions.of(Limit.gcra(1, HOUR)).deadline(Duration.ofMinutes(1));
    try (Sluice real = PatientClient.connect(server.uri())) {
      Decision decision = real.rateLimiter("real", options).tryAcquire("user");
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
    }
  }

  @Test
  void lifeShorterThanTheDrain() {
    long interval = 10_000; // one in ten seconds
    long life = 1; // as if it were seconds, or the capacity divided by the rate and rounded down
    assertThat(textbook.admits(Textbook.ARRIVAL_TIME, "x", 1, interval, 0, life)).isTrue();
    await().until(() -> server.call("EXISTS", "x").equals(0L));
    assertThat(textbook.admits(Textbook.ARRIVAL_TIME, "x", 1, interval, 1000, life)).isTrue();

    RateLimiter limiter = limiter(Limit.gcra(1, Duration.ofSeconds(10)));
    assertThat(admitted(1, limiter)).isEqualTo(1);
    at(1000);
    Decision early = limiter.tryAcquire("user");
    assertThat(early.allowed()).isFalse();
    assertThat(early.retryAfter()).isEqualTo(Duration.ofSeconds(9));

    askInRealTime();
    assertThat(server.call("PTTL", "sl:{real:user}:l1"))
        .asInstanceOf(LONG)
        .isBetween(HOUR_MILLIS / 2, HOUR_MILLIS + 1000);
  }

  @Test
  void lifeBelowAMillisecond() {
    long life = 1000 / 2000; // two thousand a second, in milliseconds
    assertThat(textbook.admitted(100, Textbook.ARRIVAL_TIME, "x", 1, 1, 0, life)).isEqualTo(100);

    assertThat(admitted(100, limiter(Limit.gcra(2000, SECOND).burst(1)))).isEqualTo(1);
  }

  @Test
  void clockOfTheCaller() {
    String scheme = Textbook.BUCKET_BY_CALLERS_CLOCK;
    long ahead = 5 * HOUR_MILLIS;
    assertThat(textbook.admitted(9, scheme, "x", 5, HOUR_MILLIS, 0)).isEqualTo(5);
    assertThat(textbook.admitted(9, scheme, "x", 5, HOUR_MILLIS, ahead)).as("early").isEqualTo(5);
    assertThat(textbook.admitted(9, scheme, "x", 5, HOUR_MILLIS, HOUR_MILLIS * 4))
        .as("four hours later, for everybody whose clock is right")
        .isZero();

    ManualTime fast = new ManualTime();
    fast.advance(Duration.ofHours(5));
    RateLimiter right = limiter(Limit.tokenBucket(1, HOUR).burst(5));
    try (Sluice ahead5 = client(fast)) {
      RateLimiter wrong = ahead5.rateLimiter("api", Limit.tokenBucket(1, HOUR).burst(5));
      assertThat(admitted(9, right)).isEqualTo(5);
      assertThat(admitted(9, wrong)).isZero();
      at(4 * HOUR_MILLIS);
      assertThat(admitted(9, right)).isEqualTo(4);
    }
  }

  @Test
  void refusalThatSpendsAnotherTier() {
    int passed = 0;
    for (int i = 0; i < 100; i++) { // ten a minute and a hundred an hour, one after the other
      boolean hour = textbook.admits(Textbook.FIXED_WINDOW, "hour", 100, HOUR_MILLIS, 0);
      passed += textbook.admits(Textbook.FIXED_WINDOW, "minute", 10, 60_000, 0) && hour ? 1 : 0;
    }
    assertThat(passed).isEqualTo(10);
    assertThat(textbook.admits(Textbook.FIXED_WINDOW, "hour", 100, HOUR_MILLIS, 60_000))
        .as("the hour is over after ten calls")
        .isFalse();

    RateLimiter limiter =
        limiter(Limit.fixedWindow(10, Duration.ofMinutes(1)), Limit.fixedWindow(100, HOUR));
    assertThat(admitted(100, limiter)).isEqualTo(10);
    at(60_000);
    assertThat(admitted(100, limiter)).isEqualTo(10);
  }

  @Test
  void everyPitfallIsTold() throws IOException {
    String told = Files.readString(SourceTree.path("docs/limits-pitfalls.md"));
    for (Method method : PitfallsIT.class.getDeclaredMethods()) {
      if (method.isAnnotationPresent(Test.class)
          && !method.getName().equals("everyPitfallIsTold")) {
        assertThat(told).contains("`" + method.getName() + "`");
      }
    }
  }

  private void expire(String key) {
    server.call("PEXPIRE", key, "1");
    await().until(() -> server.call("EXISTS", key).equals(0L));
  }
}
