package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.guard.FencingToken;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Misuse is refused before the store hears of it, with the rule and the value. */
class BadInputTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration OVERFLOW = Duration.ofSeconds(Long.MAX_VALUE);
  private static final String OVERFLOW_TEXT = "PT2562047788015215H30M7S";

  private final Sluice sluice = Sluice.connect("memory:");
  private final DistributedLock lock = sluice.lock("seat");

  @AfterEach
  void close() {
    sluice.close();
  }

  @Test
  void names() {
    for (String good :
        new String[] {
          "x",
          "a".repeat(512),
          "é".repeat(256),
          "😀".repeat(128),
          "\r\n",
          "\0",
          "{}",
          "%",
          "%7B",
          " "
        }) {
      assertThat(sluice.lock(good).name()).isEqualTo(good);
      try (Lease lease = sluice.lock(good).tryAcquire().orElseThrow()) {
        assertThat(lease.name()).isEqualTo(good);
        assertThat(sluice.inspect().lock(good).holder()).isPresent();
      }
    }
    for (String bad : new String[] {"", "a".repeat(513), "😀".repeat(129), "a\ud800", "\udc00b"}) {
      String text =
          switch (bad.length()) {
            case 0 -> "name must be 1 to 512 bytes of UTF-8: it is empty";
            case 513 -> "name must be 1 to 512 bytes of UTF-8: it has 513";
            case 258 -> "name must be 1 to 512 bytes of UTF-8: it has 516";
            default ->
                "name must be valid Unicode: lone surrogate at index "
                    + (bad.charAt(0) == 'a' ? 1 : 0);
          };
      refused(() -> sluice.lock(bad), text);
      refused(() -> sluice.lock(bad, LockOptions.defaults()), text);
      refused(() -> sluice.inspect().lock(bad), text);
    }
  }

  @Test
  void namesCannotForgeLinesOfALog() {
    String name = "seat\nINFO paid";
    Lease lease = sluice.lock(name).tryAcquire().orElseThrow();
    assertThatThrownBy(() -> sluice.lock(name).acquire(Duration.ofMillis(10)))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageStartingWith("lock 'seat\\u000aINFO paid': ");
    assertThat(lease).asString().startsWith("Lease['seat\\u000aINFO paid', token ");
    lease.release();
    assertThatThrownBy(lease::checkHeld)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageStartingWith("lock 'seat\\u000aINFO paid': ");
    assertThat(Names.quoted("a\u202eb\u200b\u2028\ud83d\ude00\udb40\udc41"))
        .isEqualTo("'a\\u202eb\\u200b\\u2028\ud83d\ude00\\udb40\\udc41'");
    assertThat(new StaleTokenException(name, new FencingToken(1, "a"), new FencingToken(2, "b")))
        .hasMessageStartingWith("resource 'seat\\u000aINFO paid' refused token 1");
  }

  @Test
  void ttlIsTenMillisecondsToOneDay() {
    refused(() -> LockOptions.fixed(Duration.ZERO), "ttl must be at least 10ms: PT0S");
    refused(() -> LockOptions.renewing(Duration.ZERO), "ttl must be at least 10ms: PT0S");
    refused(() -> LockOptions.fixed(SECOND.negated()), "ttl must be at least 10ms: PT-1S");
    refused(() -> LockOptions.fixed(Duration.ofMillis(9)), "ttl must be at least 10ms: PT0.009S");
    assertThatCode(() -> sluice.lock("x", LockOptions.fixed(Duration.ofMillis(10))))
        .doesNotThrowAnyException();
    assertThatCode(() -> sluice.lock("x", LockOptions.fixed(Duration.ofDays(1))))
        .doesNotThrowAnyException();
    refused(
        () -> sluice.lock("x", LockOptions.fixed(Duration.ofDays(400))),
        "ttl must be 10ms to 1d: PT9600H");
    refused(
        () -> sluice.lock("x", LockOptions.fixed(OVERFLOW)),
        "ttl must be 10ms to 1d: " + OVERFLOW_TEXT);
  }

  @Test
  void ttlOfARenewalFollowsTheSameRule() {
    try (Lease lease = lock.tryAcquire().orElseThrow()) {
      refused(() -> lease.renew(Duration.ZERO), "ttl must be 10ms to 1d: PT0S");
      refused(() -> lease.renew(SECOND.negated()), "ttl must be 10ms to 1d: PT-1S");
      refused(() -> lease.renew(Duration.ofMillis(9)), "ttl must be 10ms to 1d: PT0.009S");
      refused(() -> lease.renew(Duration.ofDays(400)), "ttl must be 10ms to 1d: PT9600H");
      refused(() -> lease.renew(OVERFLOW), "ttl must be 10ms to 1d: " + OVERFLOW_TEXT);
      absent(() -> lease.renew(null), "ttl must not be null");
      absent(() -> lease.onChange(null), "listener must not be null");
      lease.checkHeld();
    }
  }

  @Test
  void longestTtlIsConfigurable() {
    try (Sluice brief = Sluice.builder().uri("memory:").maxTtl(SECOND).build()) {
      refused(
          () -> brief.lock("x", LockOptions.fixed(Duration.ofSeconds(2))),
          "ttl must be 10ms to 1s: PT2S");
      refused(() -> brief.lock("x"), "ttl must be 10ms to 1s: PT30S");
    }
    SluiceBuilder builder = Sluice.builder();
    refused(() -> builder.maxTtl(Duration.ofMillis(9)), "maxTtl must be 10ms to 3650d: PT0.009S");
    refused(() -> builder.maxTtl(OVERFLOW), "maxTtl must be 10ms to 3650d: " + OVERFLOW_TEXT);
  }

  @Test
  void otherLockOptions() {
    LockOptions options = LockOptions.defaults();
    refused(() -> options.maxHold(Duration.ofMillis(9)), "maxHold must be 10ms to 3650d: PT0.009S");
    refused(() -> options.maxHold(OVERFLOW), "maxHold must be 10ms to 3650d: " + OVERFLOW_TEXT);
    refused(() -> options.sticky(Duration.ZERO), "sticky must be positive, at most 3650d: PT0S");
    refused(
        () -> options.sticky(SECOND.negated()), "sticky must be positive, at most 3650d: PT-1S");
    refused(
        () -> options.sticky(OVERFLOW), "sticky must be positive, at most 3650d: " + OVERFLOW_TEXT);
    refused(() -> options.handOff(0, SECOND), "handOffTurns must be >= 1: 0");
    refused(() -> options.handOff(-1, SECOND), "handOffTurns must be >= 1: -1");
    refused(() -> options.handOff(1, SECOND.negated()), "handOffTime must be 0 to 3650d: PT-1S");
    refused(() -> options.handOff(1, OVERFLOW), "handOffTime must be 0 to 3650d: " + OVERFLOW_TEXT);
    absent(() -> LockOptions.fixed(null), "ttl must not be null");
    absent(() -> LockOptions.renewing(null), "ttl must not be null");
    absent(() -> options.maxHold(null), "maxHold must not be null");
    absent(() -> options.sticky(null), "sticky must not be null");
    absent(() -> options.handOff(1, null), "handOffTime must not be null");
  }

  @Test
  void longestSettingsWork() throws Exception {
    Duration longest = Duration.ofDays(3650);
    LockOptions options =
        LockOptions.defaults().maxHold(longest).sticky(longest).handOff(Integer.MAX_VALUE, longest);
    DistributedLock other = sluice.lock("longest", options);
    for (int i = 0; i < 3; i++) {
      try (Lease lease = other.acquire(OVERFLOW)) {
        lease.checkHeld();
      }
    }
  }

  @Test
  void waits() throws Exception {
    refused(() -> lock.acquire(SECOND.negated()), "wait must not be negative: PT-1S");
    refused(() -> lock.tryAcquire(SECOND.negated()), "wait must not be negative: PT-1S");
    refused(() -> lock.async().acquire(SECOND.negated()), "wait must not be negative: PT-1S");
    refused(() -> lock.run(SECOND.negated(), () -> {}), "wait must not be negative: PT-1S");
    absent(() -> lock.acquire(null), "wait must not be null");
    absent(() -> lock.tryAcquire(null), "wait must not be null");
    absent(() -> lock.async().acquire(null), "wait must not be null");
    absent(() -> lock.run(SECOND, null), "task must not be null");
    absent(() -> lock.call(SECOND, null), "task must not be null");
    assertThatThrownBy(() -> lock.asReentrantLock().tryLock(1, null))
        .hasMessage("unit must not be null");
    lock.acquire(OVERFLOW).close();
    lock.async().acquire(OVERFLOW).toCompletableFuture().get(1, TimeUnit.MINUTES).close();
    assertThat(lock.asReentrantLock().tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
  }

  @Test
  void listing() {
    refused(() -> sluice.inspect().lockNames(0).names(), "limit must be >= 1: 0");
    refused(() -> sluice.inspect().lockNames(-1).names(), "limit must be >= 1: -1");
  }

  @Test
  void uris() {
    refused(
        () -> Sluice.connect("carrier-pigeon://roof"),
        "no backend for a URI that starts with 'carrier-pigeon:'; the class path has memory");
    for (String bare : new String[] {"", ":", "localhost", ":6379", "//host"}) {
      refused(
          () -> Sluice.connect(bare), "uri must start with a scheme; the class path has memory");
    }
    for (String missing :
        List.of(
            "redis:sluice-redis",
            "rediss-quorum:sluice-redis",
            "jdbc:sluice-jdbc",
            "zookeeper:sluice-zookeeper")) {
      String[] parts = missing.split(":");
      refused(
          () -> Sluice.connect(parts[0] + "://host"),
          "no backend for a URI that starts with '"
              + parts[0]
              + ":': add dev.sluice:"
              + parts[1]
              + "; the class path has memory");
    }
    absent(() -> Sluice.connect(null), "uri must not be null");
    assertThatThrownBy(() -> Sluice.connect("ftp://user:geheim@host"))
        .hasMessageNotContaining("geheim");
  }

  @Test
  void builder() {
    SluiceBuilder builder = Sluice.builder();
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("exactly one of uri and backend must be set");
    assertThatThrownBy(() -> Sluice.builder().uri("memory:").backend(new MemoryBackend()).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("exactly one of uri and backend must be set");
    for (double bad : new double[] {-0.01, 0.5, Double.NaN, Double.POSITIVE_INFINITY}) {
      refused(() -> builder.clockDrift(bad), "clockDrift must be 0 to below 0.5: " + bad);
    }
    refused(() -> builder.requestTimeout(Duration.ZERO), "requestTimeout must be 1ms to 1d: PT0S");
    refused(
        () -> builder.requestTimeout(OVERFLOW),
        "requestTimeout must be 1ms to 1d: " + OVERFLOW_TEXT);
    absent(() -> builder.requestTimeout(null), "requestTimeout must not be null");
    absent(() -> builder.maxTtl(null), "maxTtl must not be null");
    absent(() -> builder.uri(null), "uri must not be null");
    absent(() -> builder.backend(null), "backend must not be null");
    absent(() -> builder.time(null, null), "ticker must not be null");
    absent(() -> builder.time(System::nanoTime, null), "scheduler must not be null");
    absent(() -> builder.random(null), "random must not be null");
    absent(() -> builder.callbacks(null), "callbacks must not be null");
    try (Sluice seeded = Sluice.builder().uri("memory:").random(new Random(1)).build()) {
      assertThat(seeded.clientId()).hasSize(22);
    }
  }

  @Test
  void absentNamesAndOptions() {
    refused(() -> sluice.lock(null), "name must not be null");
    refused(() -> sluice.inspect().lock(null), "name must not be null");
    absent(() -> sluice.lock("x", null), "options must not be null");
  }

  @Test
  void messagesCallAKeyAKeyAndAResourceAResource() {
    RateLimiter limiter =
        sluice.rateLimiter("api", RateLimiterOptions.of(Limit.fixedWindow(1, SECOND)));
    refused(() -> limiter.tryAcquire(null), "key must not be null");
    refused(() -> limiter.acquire(null, 1, SECOND), "key must not be null");
    refused(() -> limiter.limitsOf(""), "key must be 1 to 512 bytes of UTF-8: it is empty");
    refused(() -> sluice.throttle().clThrottle(null, 1, 1, 1, 1), "key must not be null");
    refused(
        () -> MemoryGuard.create().advance(null, new FencingToken(1, "a")),
        "resource must not be null");
  }

  @Test
  void closedClientRefusesEverything() {
    sluice.close();
    sluice.close();
    for (ThrowingCallable call :
        new ThrowingCallable[] {
          () -> sluice.lock("x"),
          () -> sluice.inspect().lock("x"),
          () -> sluice.inspect().lockNames(1).names(),
          () -> lock.tryAcquire(),
          () -> lock.acquire(SECOND),
          () -> lock.tryAcquire(SECOND),
          () -> lock.run(SECOND, () -> {}),
          () -> lock.call(SECOND, () -> 1),
          () -> lock.async().tryAcquire(),
          () -> lock.async().acquire(SECOND),
          () -> lock.asReentrantLock().lock(),
          () -> lock.asReentrantLock().tryLock()
        }) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this Sluice is closed");
    }
  }

  private static void refused(ThrowingCallable call, String text) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(text);
  }

  private static void absent(ThrowingCallable call, String text) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(text);
  }
}
