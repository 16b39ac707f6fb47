package dev.sluice.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LongAwaitsTest {
  @Test
  void awaitThatNamesNoBoundHasMoreThanTenSeconds() {
    AtomicLong leftMillis = new AtomicLong();
    await()
        .conditionEvaluationListener(condition -> leftMillis.set(condition.getRemainingTimeInMS()))
        .until(() -> true);
    assertThat(leftMillis.get()).isGreaterThan(10_000);
  }
}
