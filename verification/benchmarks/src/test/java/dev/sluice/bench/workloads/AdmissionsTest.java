package dev.sluice.bench.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Allowance.Shape;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The judge is judged: one admission too many must be noticed, and none that may be a delay. */
class AdmissionsTest {
  private static final Allowance BUCKET =
      new Allowance(Shape.BUCKET, 3, 1, Duration.ofMillis(1)); // three at once, one a millisecond
  private static final Allowance WINDOW = new Allowance(Shape.WINDOW, 3, 3, Duration.ofMillis(10));

  @Test
  void aFullBucketAndWhatFlowsInAreAllowed() {
    assertThat(excess(BUCKET, 0, 0, 0, 1000, 2000, 3000)).isZero();
  }

  @Test
  void oneMoreThanTheBucketHeldIsNoticed() {
    assertThat(excess(BUCKET, 0, 0, 0, 500)).isEqualTo(1);
    assertThat(excess(BUCKET, 0, 5000, 5000, 5000, 5000, 5000)).isEqualTo(2);
  }

  @Test
  void aWindowIsWhereverItHasMost() {
    assertThat(excess(WINDOW, 0, 5000, 9000, 11_000)).isZero();
    assertThat(excess(WINDOW, 0, 5000, 9000, 9500)).isEqualTo(1);
    assertThat(excess(WINDOW, 0, 8000, 9000, 11_000, 12_000)).isEqualTo(1);
    assertThat(excess(WINDOW, 0, 0, 0, 10_000, 10_000, 10_000)).isZero();
  }

  @Test
  void aSlowAnswerIsNotHeldAgainstTheLimit() {
    long[] asked = {0, 0, 0, 0};
    long[] answered = nanos(0, 0, 0, 1000);

    assertThat(AdmissionCheck.excess(BUCKET, asked, answered)).isZero();
  }

  /** Calls that were answered at once, at these microseconds. */
  private static long excess(Allowance allowance, long... micros) {
    return AdmissionCheck.excess(allowance, nanos(micros), nanos(micros));
  }

  private static long[] nanos(long... micros) {
    return LongStream.of(micros).map(TimeUnit.MICROSECONDS::toNanos).toArray();
  }
}
