package dev.sluice.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.Usage;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LimiterMetricsTest {
  private final FlakyBackend line = new FlakyBackend(new MemoryBackend());
  private final Sluice sluice = Sluice.builder().backend(line).build();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void close() {
    sluice.close();
    line.close();
  }

  private double count(String name, String... tags) {
    return registry.get("sluice.limiter." + name).tags(tags).functionCounter().count();
  }

  @Test
  void countsWhatWasDecidedAndByWhom() {
    RateLimiter limiter =
        sluice.rateLimiter(
            "api",
            RateLimiterOptions.of(Limit.parse("fixed-window 2/1d"))
                .outage(Outage.open())
                .deadline(Duration.ofMillis(50)));
    LimiterMetrics.of(limiter).bindTo(registry);
    for (int i = 0; i < 5; i++) {
      limiter.tryAcquire("ann");
    }
    assertThat(count("decisions", "result", "allowed")).isEqualTo(2);
    assertThat(count("decisions", "result", "refused")).isEqualTo(3);
    assertThat(count("decisions.local", "by", "memo")).isEqualTo(limiter.stats().fromMemo());
    assertThat(count("trips")).isEqualTo(limiter.stats().trips()).isPositive();
    assertThat(count("decisions.local", "by", "outage")).isZero();

    line.set(Verb.DECIDE, Fault.LOSES_REQUEST);
    limiter.tryAcquire("bob");
    assertThat(count("decisions.local", "by", "outage")).isEqualTo(1);
    assertThat(count("clock.steps")).isZero();
    assertThat(count("decisions.local", "by", "lease")).isZero();
  }

  @Test
  void countsSettlementsAndWrongEstimates() {
    RateLimiter limiter =
        sluice.rateLimiter(
            "api",
            RateLimiterOptions.of(Limit.parse("sliding-window 1000/1h"))
                .outage(Outage.open())
                .deadline(Duration.ofMinutes(1)));
    LimiterMetrics.of(limiter).bindTo(registry);
    Usage high = limiter.begin("ann", 40);
    high.settle(10);
    high.settle(10);
    limiter.begin("ann", 10).settle(17);
    limiter.begin("ann", 5).refund();
    line.next(Verb.SETTLE_USE, Fault.LOSES_REPLY);
    assertThatThrownBy(() -> limiter.begin("ann", 1).settle(1))
        .isInstanceOf(BackendException.class);
    line.next(Verb.DECIDE, Fault.LOSES_REQUEST);
    limiter.begin("ann", 3).settle(3);
    assertThat(count("settlements", "result", "settled")).isEqualTo(2);
    assertThat(count("settlements", "result", "refunded")).isEqualTo(1);
    assertThat(count("settlements", "result", "repeated")).isEqualTo(1);
    assertThat(count("settlements", "result", "failed")).isEqualTo(1);
    assertThat(count("settlements", "result", "not_held")).isEqualTo(1);
    assertThat(count("settlements", "result", "late")).isZero();
    assertThat(count("estimate.error", "estimate", "high")).isEqualTo(35);
    assertThat(count("estimate.error", "estimate", "low")).isEqualTo(7);
  }

  @Test
  void showsTheVersionOfThePolicyInForce() {
    RateLimiterOptions options = RateLimiterOptions.of(Limit.parse("fixed-window 2/1d"));
    RateLimiter limiter = sluice.rateLimiter("api", options);
    LimiterMetrics.of(limiter).bindTo(registry);
    assertThat(registry.get("sluice.limiter.policy.version").gauge().value()).isZero();
    limiter.update(options.version(3, CarryOver.KEEP));
    assertThat(registry.get("sluice.limiter.policy.version").gauge().value()).isEqualTo(3);
  }

  @Test
  void carriesTheLimiterAndNoKey() {
    RateLimiter limiter =
        sluice.rateLimiter("api", RateLimiterOptions.of(Limit.parse("fixed-window 2/1d")));
    LimiterMetrics.of(limiter).bindTo(registry);
    for (int i = 0; i < 100; i++) {
      limiter.tryAcquire("user " + i);
    }
    assertThat(registry.getMeters())
        .hasSize(16)
        .extracting(Meter::getId)
        .allSatisfy(id -> assertThat(id.getTag("limiter")).isEqualTo("api"))
        .allSatisfy(id -> assertThat(id.toString()).doesNotContain("user"));
  }
}
