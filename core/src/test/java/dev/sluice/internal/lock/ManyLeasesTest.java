package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One client with far more leases than anyone should have. */
class ManyLeasesTest {
  private static final int LEASES = 100_000;
  private static final Duration TTL = Duration.ofSeconds(30);

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // far more than it needs
  void allAreRenewedWithinAThirdOfTheirTtlForFiveTtls() {
    ManualTime time = new ManualTime();
    MemoryBackend store = new MemoryBackend(time::storeMicros);
    LeaseRules rules = new LeaseRules(0.01);
    GrantEngine engine =
        GrantEngine.ofLocks(
            store.locks(),
            new GrantParts(
                "memory",
                "a",
                time,
                time,
                new Random(1),
                Runnable::run,
                rules,
                Duration.ofDays(1)));
    List<String> changes = new ArrayList<>();
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < LEASES; i++) {
      Lease lease = engine.lock("seat/" + i, LockOptions.renewing(TTL)).tryAcquire().orElseThrow();
      lease.onChange((changed, state) -> changes.add(changed.name() + " " + state));
      leases.add(lease);
      if (i % 10 == 9) {
        time.advance(Duration.ofMillis(1)); // they fall due all over a third of the TTL
      }
    }

    long least = TTL.toNanos() * 2 / 3 - rules.margin(TTL.toNanos());
    for (int third = 1; third <= 15; third++) {
      time.advance(TTL.dividedBy(3));
      assertThat(changes).isEmpty();
      assertThat(
              leases.stream().mapToLong(lease -> lease.remaining().toNanos()).min().orElseThrow())
          .as("time left to the lease that waits longest for its renewal, after %s thirds", third)
          .isGreaterThanOrEqualTo(least);
    }
    assertThat(leases).allMatch(lease -> lease.state() == LeaseState.HELD);
    assertThat(IntStream.range(0, LEASES).filter(i -> !isHeld(store, i))).isEmpty();

    leases.forEach(Lease::close);
    assertThat(engine.pendingTimers()).isZero();
    assertThat(IntStream.range(0, LEASES).filter(i -> isHeld(store, i))).isEmpty();
  }

  private static boolean isHeld(MemoryBackend store, int i) {
    return store
        .locks()
        .inspect("seat/" + i)
        .toCompletableFuture()
        .join()
        .asLock()
        .holder()
        .isPresent();
  }
}
