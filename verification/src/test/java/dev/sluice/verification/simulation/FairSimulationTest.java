package dev.sluice.verification.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.LockOptions;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.Held;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * Fair locks under faults. The checker sees to it that the store serves processes in the order in
 * which they queued; what is left is that no process serves itself: each lease is a grant of the
 * store's own.
 */
class FairSimulationTest {
  private static final int SCHEDULES = 1_000;
  private static final Logger QUIET = Logger.getLogger("dev.sluice.lock");

  static {
    QUIET.setLevel(Level.OFF);
  }

  private static final Variant FAIR =
      new Variant() {
        @Override
        public LockOptions options(LockOptions drawn) {
          LockOptions plain =
              drawn.isRenewing()
                  ? LockOptions.renewing(drawn.ttl())
                  : LockOptions.fixed(drawn.ttl());
          return plain.fair();
        }
      };

  /** A lease that the store was not asked for. */
  private static Optional<Event> handedOn(List<Event> events) {
    Set<Long> granted = new HashSet<>();
    for (Event event : events) {
      if (event instanceof Event.Decided decided) {
        Held after = decided.after();
        if (after != null) {
          granted.add(after.token());
        }
      } else if (event instanceof Event.Acquired acquired && !granted.contains(acquired.token())) {
        return Optional.of(event);
      }
    }
    return Optional.empty();
  }

  @Test
  void everyLeaseIsAGrantOfItsOwnInTheOrderOfTheQueue() {
    int acquired = 0;
    for (int seed = 0; seed < SCHEDULES; seed++) {
      Simulation.Result result = Simulation.run(seed, FAIR);
      assertThat(result.violation()).as(() -> result.report(60)).isEmpty();
      assertThat(handedOn(result.history().events())).as("seed %s", seed).isEmpty();
      acquired +=
          (int) result.history().events().stream().filter(e -> e instanceof Event.Acquired).count();
    }
    assertThat(acquired).as("schedules that do something").isGreaterThan(5 * SCHEDULES);
  }

  @Test
  void aLockThatIsNotFairIsHandedOn() {
    assertThat(handedOn(Simulation.run(1).history().events())).isPresent();
  }
}
