package dev.sluice.testkit.lock;

import dev.sluice.BackendException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.testkit.Contract;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Common parts of the tests of locks, semaphores and read-write locks.
 *
 * @since 0.1
 */
public interface GrantContract extends Contract {

  /** A lease that outlasts every test. */
  LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));

  /** The TTL of leases that must expire within a test. */
  Duration SHORT_TTL = Duration.ofMillis(600);

  /** A lease that expires soon. */
  LockOptions FIXED = LockOptions.fixed(SHORT_TTL);

  /** A lease that expires soon unless it is renewed. */
  LockOptions RENEWING = LockOptions.renewing(SHORT_TTL);

  /**
   * A lease that must outlive its TTL in a test, plus three seconds in which the machine may stall:
   * it is renewed after a third of the TTL.
   */
  LockOptions STEADY = LockOptions.renewing(SHORT_TTL.multipliedBy(8));

  /**
   * Acquires a free lock or unit, which must succeed. A grant that came after its lease had ended,
   * because this machine stood still, is none: it is asked for again.
   */
  default Lease inTime(Supplier<Optional<Lease>> attempt, String otherwise) {
    boolean late = false;
    for (long start = System.nanoTime(); ; LockSupport.parkNanos(500_000)) {
      boolean goesOn = System.nanoTime() - start < store().patience().toNanos();
      try {
        Optional<Lease> lease = attempt.get();
        if (lease.isPresent()) {
          return lease.get();
        }
        if (!late || !goesOn) {
          throw new AssertionError(otherwise);
        }
      } catch (BackendException failure) {
        if (!goesOn || !String.valueOf(failure.getMessage()).contains("the grant came too late")) {
          throw failure;
        }
        late = true;
      }
    }
  }

  /** Waits for a lease without moving time, on stores where time can be held. */
  default Lease granted(CompletableFuture<Lease> waiting) {
    until("it is granted", waiting::isDone);
    return waiting.join();
  }

  /** Moves time until a lease is granted. */
  default Lease granted(CompletableFuture<Lease> waiting, Duration bound) {
    within("it is granted", bound, waiting::isDone);
    return waiting.join();
  }
}
