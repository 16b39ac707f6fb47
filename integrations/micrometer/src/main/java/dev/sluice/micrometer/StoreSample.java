package dev.sluice.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Caches the store's last reply about one name. A reading never blocks: it takes what is known, and
 * asks the store if that is older than ten seconds. Safe for use by many threads.
 */
final class StoreSample<T> {
  private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Clock clock;
  private final Supplier<CompletionStage<T>> question;
  // guarded by this
  private @Nullable T answer;
  private boolean asking;
  private boolean asked;
  private long askedAt;

  StoreSample(Clock clock, Supplier<CompletionStage<T>> question) {
    this.clock = clock;
    this.question = question;
  }

  /** A gauge of one number of the reply; NaN without one. */
  void gauge(
      MeterRegistry registry,
      String name,
      String description,
      @Nullable String unit,
      ToDoubleFunction<T> number,
      String... tags) {
    Gauge.builder(name, () -> read(number))
        .tags(tags)
        .description(description)
        .baseUnit(unit)
        .register(registry);
  }

  private double read(ToDoubleFunction<T> number) {
    askIfDue();
    synchronized (this) {
      return answer == null ? Double.NaN : number.applyAsDouble(answer);
    }
  }

  private void askIfDue() {
    long now = clock.monotonicTime();
    synchronized (this) {
      if (asking || (asked && now - askedAt < MAX_AGE_NANOS)) {
        return;
      }
      asking = true;
      asked = true;
      askedAt = now;
    }
    try {
      question.get().whenComplete(this::answered);
    } catch (RuntimeException e) { // the client is closed, for example
      answered(null, e);
    }
  }

  /** If the store does not answer, the chart shows a gap instead of an old number. */
  private synchronized void answered(@Nullable T found, @Nullable Throwable failure) {
    answer = failure == null ? found : null;
    asking = false;
  }
}
