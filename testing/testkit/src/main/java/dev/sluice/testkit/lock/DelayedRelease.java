package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE_AFTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests of a release that takes effect later, so that work is not repeated too soon.
 *
 * @since 0.1
 */
public interface DelayedRelease extends LockContract {

  private static boolean releaseAfter(Sluice client, Lease lease, Duration delay) {
    return client.lock(NAME, LONG).releaseAfter(lease, delay);
  }

  @Test
  default void delayedReleaseWithoutDelayIsARelease() {
    Sluice a = client();
    assertThat(releaseAfter(a, take(a, LONG), Duration.ZERO)).isTrue();
    assertNothingLeft();
    Lease lease = take(a, LONG);
    assertThatThrownBy(() -> releaseAfter(a, lease, Duration.ofDays(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("delay must be at most 1d: PT48H");
  }

  @Test
  default void delayedReleaseIsForALeaseOfThisLockAndClient() {
    Sluice a = client();
    Lease lease = take(a, LONG);
    Duration delay = Duration.ofSeconds(20);
    assertThatThrownBy(() -> a.lock(NAME + "!").releaseAfter(lease, delay))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("not a lease of lock '" + NAME + "!' of this client: Lease[");
    assertThatThrownBy(() -> releaseAfter(client(), lease, delay))
        .isInstanceOf(IllegalArgumentException.class);
    lease.checkHeld();
  }

  @Test
  default void delayedReleaseLeavesTheLockTakenForEverybody() {
    Sluice a = client();
    Sluice other = client();
    Lease lease = take(a, LONG);
    Duration delay = SHORT_TTL.multipliedBy(8); // what is asked meanwhile fits into it
    assertThat(releaseAfter(a, lease, delay)).isTrue();

    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(lease.release()).isFalse();
    assertThat(releaseAfter(a, lease, delay)).isFalse();
    assertThat(lease.renew(AGES)).isFalse();
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    assertThat(lock(other, LONG).tryAcquire()).isEmpty();
    assertThat(info().holder().orElseThrow().remaining()).isLessThanOrEqualTo(delay);

    Lease next = granted(queue(other, LONG), delay.plus(POLL));
    assertThat(next.token()).isGreaterThan(lease.token());
  }

  @Test
  default void delayedReleaseMayOutlastItsLeaseAndItsClient() {
    Sluice a = client();
    Sluice other = client();
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(8));
    Lease lease = take(a, fixed);
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    assertThat(releaseAfter(a, lease, Duration.ofSeconds(20))).isTrue();
    a.close();
    store().pass(fixed.ttl().plus(SHORT_TTL));

    assertThat(waiting).isNotDone();
    assertThat(info().holder().orElseThrow().token()).isEqualTo(lease.token());
  }

  @Test
  default void delayedReleaseThatNobodyAnswersHoldsForTheRestOfTheLease() {
    FlakyBackend line = line();
    Sluice a = client(line);
    Sluice other = client();
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(8));
    Lease lease = take(a, fixed);
    line.set(RELEASE_AFTER, LOSES_REQUEST);

    assertThat(releaseAfter(a, lease, Duration.ofMillis(1))).isTrue();
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    assertThat(lock(other, LONG).tryAcquire()).isEmpty();
    granted(queue(a, LONG), fixed.ttl().plus(POLL));
  }
}
