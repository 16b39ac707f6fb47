package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.ClusterStore;
import dev.sluice.redis.PatientClient;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slots move from server to server while what lives in them is in use: nobody notices. */
@Timeout(120)
class ClusterMoveIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final LockOptions LONG = LockOptions.renewing(TTL);

  private final RedisCluster cluster = ClusterStore.cluster();

  @BeforeEach
  void empty() {
    cluster.flush();
  }

  private int slotOf(String name) {
    return cluster.slot("sl:{" + name + "}:lock");
  }

  /** Some other server than the one that has the slot. */
  private RedisServer another(int slot) {
    RedisServer owner = cluster.masterOf(slot);
    return cluster.masters().stream().filter(m -> m != owner).findFirst().orElseThrow();
  }

  private void move(int slot) {
    RedisServer to = another(slot);
    cluster.beginMove(slot, to);
    cluster.moveKeys(slot, to);
    cluster.endMove(slot, to);
  }

  @Test
  void aLockIsHeldAndWaitedForWhileItsSlotMoves() throws Exception {
    try (Sluice one = PatientClient.connect(cluster.uri());
        Sluice two = PatientClient.connect(cluster.uri())) {
      int slot = slotOf("x");
      Lease lease = one.lock("x", LONG).acquire(AGES);
      CompletableFuture<Lease> waiting =
          two.lock("x", LONG).async().acquire(AGES).toCompletableFuture();
      await().atMost(AGES).until(() -> one.inspect().lock("x").waiters().size() == 1);
      RedisServer to = another(slot);
      move(slot);
      assertThat(cluster.masterOf(slot)).isSameAs(to);
      assertThat(lease.renew(TTL)).isTrue();
      assertThat(two.inspect().lock("x").holder().orElseThrow().token()).isEqualTo(lease.token());
      assertThat(two.inspect().lock("x").waiters()).hasSize(1);
      assertThat(lease.release()).isTrue();
      Lease next = waiting.get(30, TimeUnit.SECONDS);
      assertThat(next.token()).isGreaterThan(lease.token());
      assertThat(next.release()).isTrue();
    }
  }

  @Test
  void locksOfASlotThatIsOnItsWayAreTakenRenewedAndReleased() {
    try (Sluice sluice = PatientClient.connect(cluster.uri())) {
      int slot = slotOf("x");
      RedisServer to = another(slot);
      Lease there = sluice.lock("x", LONG).tryAcquire().orElseThrow();
      cluster.beginMove(slot, to);
      try {
        assertThat(there.renew(TTL)).as("where the key still is").isTrue();
        assertThat(there.release()).isTrue();
        long last = there.token();
        for (int i = 0; i < 3; i++) { // before, while and after its key moves
          if (i == 1) {
            cluster.moveKeys(slot, to);
          }
          Lease next = sluice.lock("x", LONG).tryAcquire().orElseThrow();
          assertThat(next.token()).isGreaterThan(last);
          last = next.token();
          if (i == 2) {
            cluster.endMove(slot, to);
          }
          assertThat(next.renew(TTL)).isTrue();
          assertThat(next.release()).isTrue();
        }
      } finally {
        if (cluster.masterOf(slot) != to) {
          cluster.moveKeys(slot, to);
          cluster.endMove(slot, to);
        }
      }
    }
  }

  @Test
  void aWaitInASlotThatIsStuckOnItsWayGoesOnWhenItHasMoved() throws Exception {
    try (Sluice one = PatientClient.connect(cluster.uri());
        Sluice two = PatientClient.connect(cluster.uri())) {
      int slot = slotOf("y");
      RedisServer to = another(slot);
      Lease lease = one.lock("y", LONG).acquire(AGES);
      cluster.beginMove(slot, to);
      CompletableFuture<Lease> waiting =
          two.lock("y", LONG).async().acquire(AGES).toCompletableFuture();
      assertThat(lease.renew(TTL)).isTrue();
      cluster.moveKeys(slot, to);
      assertThat(lease.renew(TTL)).isTrue();
      cluster.endMove(slot, to);
      await().atMost(AGES).until(() -> one.inspect().lock("y").waiters().size() == 1);
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      assertThat(lease.release()).isTrue();
      assertThat(waiting.get(30, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }
  }

  @Test
  void nothingFailsAndNothingIsCountedTwiceWhileSlotsMoveToAndFro() throws Exception {
    List<String> names = List.of("a", "b", "c", "d", "e", "f");
    Map<String, AtomicLong> holders = new ConcurrentHashMap<>();
    Map<String, Long> lastToken = new ConcurrentHashMap<>();
    names.forEach(name -> holders.put(name, new AtomicLong()));
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong turns = new AtomicLong();
    try (Sluice one = PatientClient.connect(cluster.uri());
        Sluice two = PatientClient.connect(cluster.uri())) {
      List<CompletableFuture<Void>> workers = new ArrayList<>();
      for (Sluice sluice : List.of(one, two)) {
        for (String name : names) {
          workers.add(
              CompletableFuture.runAsync(
                  () -> {
                    while (!over.get()) {
                      try (Lease lease =
                          sluice.lock(name).async().acquire(AGES).toCompletableFuture().join()) {
                        assertThat(holders.get(name).incrementAndGet()).isEqualTo(1);
                        Long before = lastToken.put(name, lease.token());
                        assertThat(before == null || before < lease.token()).isTrue();
                        holders.get(name).decrementAndGet();
                        turns.incrementAndGet();
                      }
                    }
                  },
                  task -> new Thread(task, "worker").start()));
        }
      }
      for (int round = 0; round < 3; round++) {
        for (String name : names) {
          long before = turns.get();
          move(slotOf(name));
          await().atMost(AGES).until(() -> turns.get() > before + 10);
        }
      }
      over.set(true);
      CompletableFuture.allOf(workers.toArray(new CompletableFuture<?>[0]))
          .get(60, TimeUnit.SECONDS);
      names.forEach(name -> assertThat(one.inspect().lock(name).holder()).as(name).isEmpty());
    }
  }

  @Test
  void aFilterIsClearedWhileItsSlotIsOnItsWay() {
    int slot = cluster.slot("sl:{f:0}:bloom");
    RedisServer to = another(slot);
    try (Sluice sluice = PatientClient.connect(cluster.uri())) {
      BloomFilter<Long> filter = sluice.bloomFilter("f", Funnel.longs(), BloomSpec.of(1_000, 0.01));
      filter.create();
      filter.add(1L);
      cluster.beginMove(slot, to);
      try {
        filter.clear();
        assertThat(filter.mightContain(1L)).isFalse();
        filter.add(2L);
      } finally {
        cluster.moveKeys(slot, to);
        cluster.endMove(slot, to);
      }
      assertThat(filter.mightContain(1L)).isFalse();
      assertThat(filter.mightContain(2L)).isTrue();
    }
  }

  @Test
  void aFilterIsRebuiltWhileItsSlotIsOnItsWay() {
    int slot = cluster.slot("sl:{f:0}:bloom");
    RedisServer to = another(slot);
    try (Sluice sluice = PatientClient.connect(cluster.uri())) {
      BloomSpec spec = BloomSpec.of(1_000, 0.01);
      BloomFilter<Long> filter = sluice.bloomFilter("f", Funnel.longs(), spec);
      filter.create();
      filter.add(1L);
      try {
        filter.rebuild(
            spec,
            () -> {
              cluster.beginMove(slot, to); // the old string and the next one are here
              return Stream.of(2L);
            });
        assertThat(filter.mightContain(1L)).isFalse();
        assertThat(filter.mightContain(2L)).isTrue();
      } finally {
        cluster.moveKeys(slot, to);
        cluster.endMove(slot, to);
      }
      assertThat(filter.mightContain(2L)).isTrue();
    }
  }

  @Test
  void limitsAndCachesFollowTheirSlots() {
    try (Sluice sluice = PatientClient.connect(cluster.uri())) {
      RateLimiter limiter =
          sluice.rateLimiter(
              "l", RateLimiterOptions.of(Limit.tokenBucket(10, Duration.ofDays(1))).deadline(AGES));
      GuardedCache<String, String> cache =
          GuardedCache.create(
              sluice,
              "c",
              CacheOptions.of(String.class, Codec.utf8()).deadline(AGES),
              key -> "loaded " + key);
      assertThat(limiter.tryAcquire("u", 4).remaining()).isEqualTo(6);
      assertThat(cache.get("k")).contains("loaded k");
      move(cluster.slot("sl:{l:u}:x"));
      move(cluster.slot("sl:{c:k}:c"));
      assertThat(limiter.tryAcquire("u", 4).remaining()).isEqualTo(2);
      assertThat(cache.getIfPresent("k")).isEqualTo(Optional.of("loaded k"));
      cache.invalidate("k");
      assertThat(cache.getIfPresent("k")).isEmpty();
    }
  }

  @Test
  void namesOfAllServersAreListedAndEachServerLearnsScriptsForItself() {
    try (Sluice sluice = PatientClient.connect(cluster.uri())) {
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        held.add(sluice.lock("n" + i).tryAcquire().orElseThrow());
        cluster.masters().get(i % 3).call("SCRIPT", "FLUSH");
      }
      assertThat(sluice.inspect().lockNames(1000).names()).hasSize(60);
      assertThat(sluice.inspect().lockNames(7).names()).hasSize(7);
      assertThat(cluster.masters())
          .allSatisfy(master -> assertThat((Long) master.call("DBSIZE")).isPositive());
      held.forEach(lease -> assertThat(lease.release()).isTrue());
    }
  }
}
