package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiterOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** The log messages about one limiter's name with several policies. */
class TwoPoliciesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void oneNameWithTwoPoliciesOfOneVersionIsWarnedOfOnce() {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("dev.sluice.limit");
    Level before = log.getLevel();
    log.setLevel(Level.ALL); // others may have silenced it
    log.addHandler(handler);
    try (Sluice sluice = Sluice.connect("memory:")) {
      RateLimiterOptions one = RateLimiterOptions.of(Limit.fixedWindow(10, SECOND));
      RateLimiterOptions two = RateLimiterOptions.of(Limit.fixedWindow(20, SECOND));
      sluice.rateLimiter("api", one);
      sluice.rateLimiter("api", one);
      sluice.rateLimiter("api", one.outage(Outage.open()).deadline(SECOND));
      sluice.rateLimiter("other", two);
      sluice.rateLimiter("api", two.version(1, CarryOver.KEEP));
      sluice.rateLimiter("api", two.version(1, CarryOver.RESET));
      sluice.rateLimiter("api", two); // an older one: the store knows which rules
      assertThat(lines).isEmpty();

      sluice.rateLimiter("api", one.version(1, CarryOver.KEEP));
      sluice.rateLimiter(
          "api", two.version(1, CarryOver.KEEP).override("a", Limit.slidingLog(10, SECOND)));
      assertThat(lines)
          .singleElement()
          .asString()
          .startsWith("WARNING rate limiter 'api' has two policies of version 1 in this process");
      sluice.rateLimiter("other", two.leasing());
      assertThat(lines).hasSize(2);
      assertThat(lines.get(1)).contains("'other' has two policies of version 0");
    } finally {
      log.removeHandler(handler);
      log.setLevel(before);
    }
  }
}
