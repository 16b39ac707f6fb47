package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Exclusion;
import dev.sluice.testkit.lock.Fencing;
import dev.sluice.testkit.lock.OwnGrant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.test.InstanceSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The promises of safety on three servers, and what becomes of locks when some of them die. */
class EnsembleLockContractIT extends ContractFixture implements Exclusion, Fencing, OwnGrant {
  private static Ensemble ensemble;

  private final List<LeaseState> told = Collections.synchronizedList(new ArrayList<>());

  @BeforeAll
  static void startServers() throws Exception {
    ensemble = new Ensemble();
  }

  @AfterAll
  static void stopServers() throws Exception {
    ensemble.close();
  }

  @Override
  protected StoreUnderTest openStore() {
    return new ZooKeeperStoreUnderTest(ensemble.servers(), ensemble.hand());
  }

  @Test
  void leaseOutlivesTheLeader() throws Exception {
    Sluice a = client();
    Sluice b = client();
    Lease lease = take(a, LONG).onChange((l, state) -> told.add(state));
    CompletableFuture<Lease> waiting = enqueue(b, LONG);
    InstanceSpec leader = ensemble.leader();
    ensemble.kill(leader);
    try {
      ensemble.leader();
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptionsInstanceOf(BackendException.class) // it may be cut off once more
          .until(() -> lease.state() == LeaseState.HELD && lease.renew(LONG.ttl()));
      assertThat(told).doesNotContain(LeaseState.LOST);
      assertThat(waiting).isNotDone();
      assertThat(lease.release()).isTrue();
      await().atMost(Duration.ofSeconds(60)).until(waiting::isDone);
      assertThat(waiting.join().token()).isGreaterThan(lease.token());
    } finally {
      ensemble.restart(leader);
    }
  }

  @Test
  void withoutAMajorityLeasesEndAndWithOneTheyAreGivenAgain() throws Exception {
    Sluice a = client();
    Lease lease = take(a, LONG).onChange((l, state) -> told.add(state));
    List<InstanceSpec> dead = ensemble.members().subList(0, 2);
    for (InstanceSpec member : dead) {
      ensemble.kill(member);
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> lease.state() == LeaseState.LOST);
    assertThat(told).startsWith(LeaseState.IN_DOUBT);
    for (InstanceSpec member : dead) {
      ensemble.restart(member);
    }
    ensemble.leader();
    CompletableFuture<Lease> again = queue(client(), LONG);
    await().atMost(Duration.ofSeconds(60)).until(again::isDone);
    assertThat(again.join().token()).isGreaterThan(lease.token());
  }
}
