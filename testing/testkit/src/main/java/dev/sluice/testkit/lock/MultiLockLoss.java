package dev.sluice.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.MultiLease;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/**
 * Tests the loss of a multi-lock when one of its locks is released by force, on stores that support
 * that.
 *
 * @since 0.1
 */
public interface MultiLockLoss extends MultiLockContract {

  @Test
  default void lostAsSoonAsOneIsLost() {
    Sluice a = client();
    MultiLease lease = all(a, LONG).tryAcquire().orElseThrow();
    List<LeaseState> told = new CopyOnWriteArrayList<>();
    lease.onChange((l, state) -> told.add(state));
    takenAway(B);

    until("the loss is reported", () -> told.contains(LeaseState.LOST));
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::checkHeld)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'" + B + "'");
    assertThat(lease.renew(LONG.ttl())).isFalse();
    assertThat(lease.release()).isFalse();
    assertThat(allAreFree()).isTrue();
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    List<LeaseState> late = new CopyOnWriteArrayList<>();
    lease.onChange((l, state) -> late.add(state));
    until("a late listener is called too", () -> late.contains(LeaseState.LOST));
    assertThat(told).containsExactly(LeaseState.LOST);
  }

  /** Ends the grant of one lock at the store without a notification of its holder. */
  private void takenAway(String name) {
    assertThat(client().lock(name, LONG).forceRelease()).isPresent();
  }

  @Test
  default void runsATaskUnderAllLocksAndSaysIfOneWasLost() throws Exception {
    Sluice a = client();
    assertThat(all(a, LONG).call(AGES, () -> holds(a, A) && holds(a, C))).isTrue();
    assertThatThrownBy(() -> all(a, LONG).run(AGES, () -> takenAway(B)))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'" + B + "'");
    until("nothing is left", this::allAreFree);
  }
}
