package dev.sluice.internal.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.internal.call.Failures;
import dev.sluice.lock.LeaderElection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ElectionsTest {
  private static final int MANY = 12;

  /** They share four seconds. One after the other, they would take a minute. */
  @Test
  void closeWaitsForAllCallbacksTogether() throws Exception {
    CountDownLatch leading = new CountDownLatch(MANY);
    CountDownLatch goOn = new CountDownLatch(1);
    Sluice sluice = Sluice.connect("memory:");
    try {
      for (int i = 0; i < MANY; i++) {
        sluice
            .election("election " + i)
            .lead(
                term -> {
                  leading.countDown();
                  awaitDeaf(goOn);
                });
      }
      assertThat(leading.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(CompletableFuture.runAsync(sluice::close, task -> new Thread(task).start()))
          .succeedsWithin(Duration.ofSeconds(40));
    } finally {
      goOn.countDown();
    }
  }

  @Test
  void electionOfAClosedClientGetsNoCandidate() {
    Sluice sluice = Sluice.connect("memory:");
    LeaderElection election = sluice.election("seat");
    sluice.close();

    assertThatThrownBy(() -> election.lead(term -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(Failures.closed().getMessage());
  }

  /** A callback that ignores its interrupt. */
  private static void awaitDeaf(CountDownLatch goOn) {
    while (true) {
      try {
        goOn.await();
        return;
      } catch (InterruptedException e) {
        continue; // the test ends it
      }
    }
  }
}
