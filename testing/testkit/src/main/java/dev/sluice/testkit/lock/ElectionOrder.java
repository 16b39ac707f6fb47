package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.StepDown;
import dev.sluice.lock.Term;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Tests of elections on stores that have a queue and can end another client's grant.
 *
 * @since 0.1
 */
public interface ElectionOrder extends LeaderElections {

  @Test
  default void stepsDownInDoubtWhileTheStoreStillKeepsTheLock() {
    FlakyBackend line = line();
    Candidate a = candidate(client(line), OPTIONS).stand();
    until("it leads", a::leads);
    Candidate other = waiting();
    line.set(RENEW, LOSES_REQUEST).set(RELEASE, LOSES_REQUEST);
    Term first = a.terms.get(0);
    long start = store().nanos();
    Duration left = first.lease().remaining();
    within(
        "it steps down", TTL.multipliedBy(2).dividedBy(3).plusMillis(50), () -> !first.isLeader());

    boolean isItsOwn = holds(a.client);
    boolean isFollowed = other.election.isLeader();
    boolean isInTime = store().nanos() - start < left.toNanos(); // no long pause of this machine
    if (isInTime) {
      assertThat(isItsOwn).as("the lock is still its own").isTrue();
      assertThat(isFollowed).isFalse();
    }
    line.heal();
    within("another one leads", TTL, other::leads);
    assertThat(first.isLeader()).as("what is over stays over").isFalse();
    until("listeners hear of it", () -> !a.ends.isEmpty());
    assertThat(a.ends.get(0) == StepDown.IN_DOUBT || !isInTime).isTrue();
    assertThat(a.failures).isEmpty();
    assertNoOverlap();
  }

  @Test
  default void leaderWhoseLockIsTakenAwayStepsDown() {
    Candidate a = leader();
    Candidate other = waiting();
    assertThat(client().lock(NAME).forceRelease()).isPresent();

    until("it steps down", () -> !a.election.isLeader());
    within("another one leads", TTL, other::leads);
    until("listeners hear of it", () -> a.ends.contains(StepDown.LOST));
    assertThat(other.terms.get(0).token()).isGreaterThan(a.terms.get(0).token());
  }
}
