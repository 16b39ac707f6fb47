package dev.sluice.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The delay until a process that follows the book applies a change, to the nanosecond. */
class PolicyBookTest {
  private static final Duration AGES = Duration.ofMinutes(1);
  private static final String BOARD = "policies";
  private static final Limit TEN = Limit.tokenBucket(10, Duration.ofDays(1));
  private static final Limit TWENTY = Limit.tokenBucket(20, Duration.ofDays(1));

  private final ManualTime time = new ManualTime();
  private final MemoryBackend store = new MemoryBackend(time::storeMicros);
  private final Sluice operator = Sluice.builder().backend(store).time(time, time).build();
  private final Sluice follower = Sluice.builder().backend(store).time(time, time).build();

  @BeforeEach
  void write() {
    operator.policyBook().set("api", RateLimiterOptions.of(TEN), "ops", "");
  }

  @AfterEach
  void close() {
    follower.close();
    operator.close();
    store.close();
  }

  /** The limiter changes on another thread; time does not move meanwhile. */
  private static void untilItHas(RateLimiter limiter, Limit limit) {
    await().atMost(AGES).until(() -> limiter.options().limits().get(0).equals(limit));
  }

  @Test
  void bookIsReadAtTheStart() {
    RateLimiter limiter = follower.rateLimiter("api", TWENTY);
    follower.policyBook().follow();
    untilItHas(limiter, TEN);
  }

  @Test
  void changeIsInForceWithinASecondWheneverItIsWritten() {
    RateLimiter limiter = follower.rateLimiter("api", TWENTY);
    follower.policyBook().follow();
    untilItHas(limiter, TEN);
    for (int millis = 0; millis < 1000; millis += 50) {
      time.advance(Duration.ofMillis(millis));
      Limit next = Limit.tokenBucket(1000 + millis, Duration.ofDays(1));
      operator.policyBook().set("api", RateLimiterOptions.of(next), "ops", "");
      time.advance(Duration.ofSeconds(1));
      untilItHas(limiter, next);
    }
  }

  @Test
  void limiterThatIsMadeLaterHasItsPolicyWithinASecond() {
    follower.policyBook().follow();
    time.advance(Duration.ofHours(1));
    RateLimiter limiter = follower.rateLimiter("api", TWENTY);
    time.advance(Duration.ofSeconds(1));
    untilItHas(limiter, TEN);
  }

  /** As after a writer that ended between the two. */
  @Test
  void changeWithoutItsNewsIsInForceWithinAMinute() {
    String first = text(store);
    String second;
    try (MemoryBackend elsewhere = new MemoryBackend(time::storeMicros);
        Sluice sluice = Sluice.builder().backend(elsewhere).time(time, time).build()) {
      RateLimiterOptions twenty = RateLimiterOptions.of(TWENTY).version(2, CarryOver.KEEP);
      sluice.policyBook().set("api", twenty, "ops", "");
      second = text(elsewhere);
    }
    RateLimiter limiter = follower.rateLimiter("api", TWENTY);
    follower.policyBook().follow();
    untilItHas(limiter, TEN);
    assertThat(store.notes().replace(BOARD, "api", first, second)).isCompletedWithValue(true);
    time.advance(Duration.ofMinutes(1));
    untilItHas(limiter, TWENTY);
    assertThat(limiter.options().version()).isEqualTo(2);
  }

  /** A client that may write the book chooses every character of an entry. */
  @Test
  void anEntryForgesNoLineOfTheLog() {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            lines.add(new SimpleFormatter().formatMessage(entry));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    String unreadable = "sluice-policy 1\nversion 9\\nINFO paid\nlimit " + TEN;
    assertThat(store.notes().replace(BOARD, "api", text(store), unreadable))
        .isCompletedWithValue(true);
    RateLimiterOptions unfit = RateLimiterOptions.of(TEN).plan("pro\nINFO paid\u2028", TEN);
    operator.policyBook().set("without plans", unfit, "ops", "");
    follower.rateLimiter("without plans", TWENTY);
    Logger logger = Logger.getLogger("dev.sluice.limit");
    logger.addHandler(handler);
    try {
      follower.policyBook().follow();
      await().atMost(AGES).until(() -> lines.size() == 2);
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(lines)
        .anyMatch(line -> line.startsWith("the policy of limiter 'api' in the policy book holds "))
        .anyMatch(line -> line.startsWith("version 1 of the policy of limiter 'without plans'"))
        .allMatch(line -> line.contains("\\u000aINFO paid"))
        .noneMatch(line -> line.matches("(?s).*[\n\u2028].*"));
  }

  private static String text(MemoryBackend store) {
    Map<String, String> texts = store.notes().all(BOARD).toCompletableFuture().join();
    return texts.get("api");
  }
}
