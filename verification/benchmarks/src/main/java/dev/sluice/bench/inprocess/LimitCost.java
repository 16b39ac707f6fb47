package dev.sluice.bench.inprocess;

import dev.sluice.Sluice;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A decision on permits that the process has already. */
@State(Scope.Benchmark)
public class LimitCost {
  /** So many that nothing is refused while it is measured. */
  private static final long BURST = 1_000_000_000;

  private static final long INTERVAL_NANOS = 1_000;

  private final Sluice client = Sluice.connect("memory:");
  private final RateLimiter limiter =
      client.rateLimiter(
          "bench",
          RateLimiterOptions.of(Limit.gcra(1_000_000, Duration.ofSeconds(1)).burst(BURST))
              .leasing()
              .deadline(Duration.ofSeconds(10))); // a pause of this machine is no outage
  private final AtomicLong arrival = new AtomicLong(System.nanoTime());

  @Benchmark
  public boolean sluice() {
    return limiter.tryAcquire("user").allowed();
  }

  /** The theoretical arrival time in one atomic number; reads the clock as often. */
  @Benchmark
  public boolean floor() {
    while (true) {
      long now = System.nanoTime();
      long due = arrival.get();
      long next = (due - now < 0 ? now : due) + INTERVAL_NANOS;
      if (next - now > BURST * INTERVAL_NANOS) {
        return false;
      }
      if (arrival.compareAndSet(due, next)) {
        return true;
      }
    }
  }

  @TearDown
  public void close() {
    client.close();
  }
}
