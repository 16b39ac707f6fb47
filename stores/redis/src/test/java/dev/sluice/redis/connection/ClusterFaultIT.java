package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Masters of a cluster are killed and stopped; their replicas take over. */
@Timeout(180)
class ClusterFaultIT {
  private static final Duration AGES = Duration.ofSeconds(60);
  private static final LockOptions BRISK = LockOptions.renewing(Duration.ofSeconds(3));

  private RedisCluster cluster;
  private Sluice one;
  private Sluice two;

  @BeforeEach
  void start() {
    cluster = RedisCluster.start(RedisBinary.any(), 3, 1);
    one = Sluice.builder().uri(cluster.uri()).requestTimeout(Duration.ofSeconds(1)).build();
    two = Sluice.builder().uri(cluster.uri()).requestTimeout(Duration.ofSeconds(1)).build();
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
    cluster.close();
  }

  private RedisServer masterOf(String name) {
    return cluster.masterOf(cluster.slot("sl:{" + name + "}:lock"));
  }

  /** Names of locks on a server. */
  private List<String> namesOn(RedisServer server, int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; names.size() < count; i++) {
      if (masterOf("n" + i) == server) {
        names.add("n" + i);
      }
    }
    return names;
  }

  @Test
  void aReplicaTakesOverAndLocksGoOn() throws Exception {
    RedisServer victim = cluster.masters().get(0);
    RedisServer other = cluster.masters().get(1);
    List<String> names = namesOn(victim, 3);
    String elsewhere = namesOn(other, 1).get(0);
    Lease held = one.lock(names.get(0), BRISK).acquire(AGES);
    // renewed more than once before the replica has taken over
    Lease safe = one.lock(elsewhere, LockOptions.renewing(Duration.ofSeconds(9))).acquire(AGES);
    long before;
    try (Lease lease = one.lock(names.get(1)).acquire(AGES)) {
      before = lease.token();
    }
    CompletableFuture<Lease> waiting =
        two.lock(names.get(0), BRISK).async().acquire(AGES).toCompletableFuture();
    await().atMost(AGES).until(() -> one.inspect().lock(names.get(0)).waiters().size() == 1);
    victim.kill();
    try (Lease lease = one.lock(names.get(1)).acquire(AGES)) {
      assertThat(lease.token()).as("tokens grow").isGreaterThan(before);
    }
    try (Lease lease = two.lock(names.get(2)).acquire(AGES)) {
      assertThat(lease.remaining()).isPositive();
    }
    cluster.awaitWhole();
    await("of another master").atMost(AGES).until(() -> safe.state() == LeaseState.HELD);
    assertThat(safe.release()).isTrue();
    // the lease lived through it, or it was told that it did not: then it was away for too long
    await()
        .atMost(AGES)
        .until(() -> held.state() == LeaseState.HELD || held.state() == LeaseState.LOST);
    boolean lived = held.release();
    Lease next = waiting.get(60, TimeUnit.SECONDS);
    assertThat(next.token()).isGreaterThan(held.token());
    assertThat(next.release()).isTrue();
    assertThat(lived || held.state() == LeaseState.LOST).isTrue();
  }

  @Test
  void aStickyLockGoesOverWhenTheServerOfTheInboxHangs() throws Exception {
    LockOptions sticky = LockOptions.renewing(Duration.ofMinutes(10)).sticky(AGES);
    one.lock("first").acquire(AGES).close(); // opens the inbox
    await().atMost(AGES).until(() -> !serversOfInbox().isEmpty());
    RedisServer hanging = serversOfInbox().get(0);
    RedisServer other =
        cluster.masters().stream().filter(each -> each != hanging).findFirst().orElseThrow();
    String name = namesOn(other, 1).get(0);
    two.lock(name).acquire(AGES).close();
    one.lock(name, sticky).acquire(AGES).close();
    hanging.pause();
    try (Lease lease = two.lock(name, sticky).acquire(Duration.ofSeconds(30))) {
      assertThat(lease.remaining()).isPositive();
    } finally {
      hanging.resume();
    }
  }

  private List<RedisServer> serversOfInbox() {
    return cluster.nodes().stream()
        .filter(
            each ->
                String.valueOf(each.call("PUBSUB", "CHANNELS", "sl:inbox:*"))
                    .contains(one.clientId()))
        .toList();
  }

  @Test
  void aStoppedMasterHoldsUpNobodyElseAndComesBackAsAReplica() throws Exception {
    RedisServer victim = cluster.masters().get(0);
    String lost = namesOn(victim, 1).get(0);
    String elsewhere = namesOn(cluster.masters().get(1), 1).get(0);
    one.lock(lost).acquire(AGES).close();
    one.lock(elsewhere).acquire(AGES).close();
    victim.pause();
    try {
      for (int i = 0; i < 50; i++) {
        try (Lease lease = one.lock(elsewhere).acquire(Duration.ofSeconds(5))) {
          assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        }
      }
      try (Lease lease = one.lock(lost).acquire(AGES)) {
        assertThat(masterOf(lost)).isNotSameAs(victim);
        victim.resume();
        await().atMost(AGES).until(() -> String.valueOf(victim.call("ROLE")).startsWith("[slave"));
        cluster.awaitWhole();
        assertThat(two.lock(lost).tryAcquire()).as("held on the new master").isEmpty();
        assertThat(lease.release()).isTrue();
      }
      two.lock(lost).acquire(AGES).close();
    } finally {
      victim.resume();
    }
  }
}
