package dev.sluice.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.GuardStats;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.lock.Lease;
import dev.sluice.spi.LockProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/**
 * Tests of promise L2: tokens grow in the order of grants.
 *
 * @since 0.1
 */
public interface Fencing extends LockContract {

  /** Tests 2 processes x 4 threads that count under the lock; a guard checks each increment too. */
  @Test
  default void l1_l2_noUpdateIsLostAndTokensGrowInGrantOrder() throws Exception {
    int rounds = 150;
    long[] counter = new long[1]; // plain on purpose: the lock alone orders the accesses
    long[] highest = new long[1];
    MemoryGuard guard = MemoryGuard.create();
    List<Running<Integer>> running = new ArrayList<>();
    CyclicBarrier together = new CyclicBarrier(8);
    for (int process = 0; process < 2; process++) {
      Sluice client = client();
      for (int thread = 0; thread < 4; thread++) {
        running.add(
            start(
                () -> {
                  together.await();
                  for (int i = 0; i < rounds; i++) {
                    try (Lease lease = lock(client, LONG).acquire(AGES)) {
                      guard.advance(lease);
                      assertThat(lease.token()).isGreaterThan(highest[0]);
                      highest[0] = lease.token();
                      counter[0]++;
                    }
                  }
                  return rounds;
                }));
      }
    }
    int grants = 0;
    for (Running<Integer> each : running) {
      grants += each.result();
    }
    assertThat(grants).isEqualTo(8 * rounds);
    assertThat(counter[0]).isEqualTo(8L * rounds);
    assertThat(guard.stats()).isEqualTo(new GuardStats(8L * rounds, 0));
  }

  @Test
  default void l2_tokenGrowsWithEachGrantOfAClientAndOfItsSuccessor() {
    long last = 0;
    for (int restart = 0; restart < 3; restart++) {
      Sluice client = client();
      for (int i = 0; i < 3; i++) {
        Lease lease = take(client, LONG);
        assertThat(lease.token()).isGreaterThan(last).isLessThan(1L << 53);
        last = lease.token();
        lease.close();
      }
      client.close();
    }
  }

  @Test
  default void l2_tokenGrowsAcrossALossOfTheStoresData() {
    Lease before = take(client(), FIXED);
    store().loseData();
    store().pass(Duration.ofMillis(LockProtocol.MAX_LEAD_MICROS / 1000 + 1));

    Lease after = take(client(), LONG);
    assertThat(after.token()).isGreaterThan(before.token());
  }

  @Test
  default void l2_tokenGrowsAcrossALossOfDataAfterManyGrantsInOneBurst() throws Exception {
    Sluice a = client();
    long last = 0;
    for (int i = 0; i < 500; i++) { // hand-over within the process uses tokens of a block
      CompletableFuture<Lease> first = queue(a, LONG);
      CompletableFuture<Lease> second = queue(a, LONG);
      granted(first).close();
      Lease lease = granted(second);
      last = lease.token();
      lease.close();
    }
    store().loseData();
    store().pass(Duration.ofMillis(LockProtocol.MAX_LEAD_MICROS / 1000 + 1));

    assertThat(take(client(), LONG).token()).isGreaterThan(last);
    assertThat(info().lastToken()).isGreaterThan(last);
  }

  @Test
  default void l2_guardRefusesAHolderThatOverslept() {
    MemoryGuard guard = MemoryGuard.create();
    Lease sleeper = take(client(), FIXED);
    guard.advance(sleeper);
    store().pass(SHORT_TTL.multipliedBy(2));
    Lease next = take(client(), LONG);
    guard.advance(next);

    assertThatThrownBy(() -> guard.advance(sleeper))
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            refusal -> assertThat(refusal.highest()).isEqualTo(FencingToken.of(next)));
    assertThat(sleeper.attempt()).isNotEqualTo(next.attempt());
    guard.check(next);
  }
}
