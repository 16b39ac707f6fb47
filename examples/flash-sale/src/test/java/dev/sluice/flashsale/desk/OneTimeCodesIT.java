package dev.sluice.flashsale.desk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.Sluice;
import dev.sluice.flashsale.desk.OneTimeCodes.Checked;
import dev.sluice.flashsale.desk.OneTimeCodes.Sent;
import dev.sluice.servers.ClockShim;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OneTimeCodesIT {
  private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.UTF_8);
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final String PHONE = "+8613800000001";
  private static final Checked PASSED = new Checked(true, 0);
  private static final Checked GONE = new Checked(false, 0);

  private static RedisServer redis;
  private final List<String> messages = new ArrayList<>();
  private Sluice sluice;
  private OneTimeCodes codes;

  @BeforeAll
  static void start() {
    redis = RedisServer.startWithClock(RedisBinary.any());
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    redis.call("FLUSHALL");
    redis.clock().ifPresent(clock -> clock.set(Duration.ZERO));
    sluice = Sluice.connect(redis.uri());
    codes = new OneTimeCodes(sluice, redis.uri(), SECRET, AGES);
  }

  @AfterEach
  void close() {
    codes.close();
    sluice.close();
  }

  private String send(String phone) {
    assertThat(codes.send(phone, messages::add)).isEqualTo(new Sent(true, Duration.ZERO));
    return messages.get(messages.size() - 1);
  }

  private static String wrong(String code) {
    return code.equals("000000") ? "000001" : "000000";
  }

  private static List<?> keys() {
    return (List<?>) redis.call("KEYS", "flash-sale:*:code");
  }

  private static void advance(Duration ahead) {
    ClockShim clock = redis.clock().orElse(null);
    assumeTrue(clock != null, "C compiler: cc is not on the PATH");
    clock.set(ahead);
  }

  @Test
  void aCodeIsSixDigitsAndPassesOnce() {
    String code = send(PHONE);
    assertThat(code).matches("[0-9]{6}");
    assertThat(codes.check(PHONE, code)).isEqualTo(PASSED);
    assertThat(codes.check(PHONE, code)).isEqualTo(GONE);
    assertThat(keys()).isEmpty();
  }

  @Test
  void ofManyWhoTypeTheRightCodeOnePasses() throws Exception {
    int threads = 2;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (OneTimeCodes elsewhere = new OneTimeCodes(sluice, redis.uri(), SECRET, AGES)) {
      for (int round = 0; round < 50; round++) {
        String phone = "+4910000" + (1000 + round);
        String code = send(phone);
        CyclicBarrier together = new CyclicBarrier(threads);
        List<Callable<Checked>> both = new ArrayList<>();
        for (OneTimeCodes instance : List.of(codes, elsewhere)) {
          both.add(
              () -> {
                together.await(AGES.toSeconds(), TimeUnit.SECONDS);
                return instance.check(phone, code);
              });
        }
        List<Checked> answers = new ArrayList<>();
        for (Future<Checked> answer : pool.invokeAll(both)) {
          answers.add(answer.get());
        }
        assertThat(answers).containsExactlyInAnyOrder(PASSED, GONE);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void theThirdWrongTryEndsACode() {
    String code = send(PHONE);
    assertThat(codes.check(PHONE, wrong(code))).isEqualTo(new Checked(false, 2));
    assertThat(codes.check(PHONE, "")).isEqualTo(new Checked(false, 1));
    assertThat(codes.check(PHONE, wrong(code))).isEqualTo(GONE);
    assertThat(codes.check(PHONE, code)).as("the right one comes too late").isEqualTo(GONE);

    String other = send("12345");
    codes.check("12345", wrong(other));
    codes.check("12345", wrong(other));
    assertThat(codes.check("12345", other)).as("the third try may be right").isEqualTo(PASSED);
  }

  @Test
  void aCodeIsOfOnePhone() {
    String code = send(PHONE);
    assertThat(codes.check("12345", code)).isEqualTo(GONE);
    assertThat(codes.check(PHONE, code)).isEqualTo(PASSED);
  }

  @Test
  void aCodeExpiresAndAWrongTryDoesNotProlongIt() {
    String code = send(PHONE);
    String key = (String) keys().get(0);
    long life = (Long) redis.call("PTTL", key);
    assertThat(life).isBetween(1L, OneTimeCodes.LIFE.toMillis());
    codes.check(PHONE, wrong(code));
    assertThat((Long) redis.call("PTTL", key)).isBetween(1L, life);

    advance(OneTimeCodes.LIFE.plusSeconds(1));
    assertThat(codes.check(PHONE, code)).isEqualTo(GONE);
  }

  @Test
  void messagesAreLimitedByMinuteAndByHour() {
    send(PHONE);
    Sent second = codes.send(PHONE, messages::add);
    assertThat(second.sent()).isFalse();
    assertThat(second.retryAfter()).isBetween(Duration.ofNanos(1), Duration.ofMinutes(1));
    assertThat(messages).hasSize(1);
    assertThat(codes.check(PHONE, messages.get(0))).as("the code stays").isEqualTo(PASSED);
    send("12345"); // another phone

    for (int minute = 1; minute < 5; minute++) {
      advance(Duration.ofSeconds(61L * minute));
      send(PHONE);
    }
    advance(Duration.ofSeconds(61L * 5));
    Sent sixth = codes.send(PHONE, messages::add);
    assertThat(sixth.sent()).isFalse();
    assertThat(sixth.retryAfter()).isBetween(Duration.ofMinutes(10), Duration.ofHours(1));
    advance(Duration.ofMinutes(61));
    send(PHONE);
  }

  @Test
  void aNewCodeEndsTheOneBefore() {
    String first = send(PHONE);
    advance(Duration.ofSeconds(61));
    String second = send(PHONE);
    assertThat(keys()).hasSize(1);
    assertThat(codes.check(PHONE, second)).isEqualTo(PASSED);
    assertThat(codes.check(PHONE, first)).isEqualTo(GONE);
  }

  @Test
  void redisHasNeitherPhonesNorCodes() {
    String code = send(PHONE);
    List<?> all = (List<?>) redis.call("KEYS", "*");
    assertThat(all).hasSizeGreaterThan(1).noneMatch(key -> key.toString().contains("1380000"));
    assertThat((String) redis.call("GET", (String) keys().get(0)))
        .startsWith(OneTimeCodes.TRIES + " ")
        .doesNotContain(code);
    try (OneTimeCodes foreign = new OneTimeCodes(sluice, redis.uri(), new byte[16], AGES)) {
      assertThat(foreign.check(PHONE, code)).as("another secret").isEqualTo(GONE);
    }
  }

  @Test
  void noPhoneIsNoMessage() {
    for (String phone : List.of("", "1234", "12345678901234567", "12:345", "1234x")) {
      assertThatThrownBy(() -> codes.send(phone, messages::add))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> codes.check(phone, "123456"))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(messages).isEmpty();
  }
}
