package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Line.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE_AFTER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A release that takes effect later, so that work is not done again too soon. */
public interface DelayedRelease extends LockContract {

  @Test
  default void delayedReleaseLeavesTheLockTakenForEverybody() {
    Sluice a = client();
    Sluice other = client();
    Lease lease = take(a, LONG);
    Duration delay = SHORT_TTL.multipliedBy(3);
    assertThat(lease.releaseAfter(delay)).isTrue();

    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(lease.release()).isFalse();
    assertThat(lease.releaseAfter(delay)).isFalse();
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
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(3));
    Lease lease = take(a, fixed);
    CompletableFuture<Lease> waiting = enqueue(other, LONG);
    assertThat(lease.releaseAfter(Duration.ofSeconds(20))).isTrue();
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
    LockOptions fixed = LockOptions.fixed(SHORT_TTL.multipliedBy(3));
    Lease lease = take(a, fixed);
    line.set(RELEASE_AFTER, LOSES_REQUEST);

    assertThat(lease.releaseAfter(Duration.ofMillis(1))).isTrue();
    assertThat(lock(a, LONG).tryAcquire()).isEmpty();
    assertThat(lock(other, LONG).tryAcquire()).isEmpty();
    granted(queue(a, LONG), fixed.ttl().plus(POLL));
  }
}
