package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisSentinel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The master is killed while locks are in use, and the sentinels promote its replica. */
@EachRedis
@Timeout(180)
class SentinelFailoverIT {
  private static final Duration AGES = Duration.ofSeconds(60);

  private final RedisBinary binary;
  private RedisSentinel redis;

  SentinelFailoverIT(RedisBinary binary) {
    this.binary = binary;
  }

  @BeforeEach
  void start() {
    redis = RedisSentinel.start(binary, 3, Duration.ofMillis(500));
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private Sluice connect(String query) {
    return Sluice.builder().uri(redis.uri(query)).requestTimeout(Duration.ofSeconds(1)).build();
  }

  @Test
  void aLeaseThatReplicasHaveLivesOnAndOneThatRanOutIsTold() throws Exception {
    try (Sluice one = connect("?replicas=1");
        Sluice two = connect("")) {
      LockOptions lasting = LockOptions.renewing(Duration.ofMinutes(2)); // through the fail-over
      Lease kept = one.lock("kept", lasting).acquire(AGES);
      Lease brief = one.lock("brief", LockOptions.renewing(Duration.ofMillis(400))).acquire(AGES);
      redis.master().kill();
      await().atMost(AGES).until(() -> brief.state() == LeaseState.LOST);
      await().atMost(AGES).until(redis::isPromoted);
      await()
          .atMost(AGES)
          .ignoreExceptions()
          .until(() -> two.inspect().lock("kept").holder().orElseThrow().token() == kept.token());
      assertThat(two.lock("kept").tryAcquire()).isEmpty();
      kept.checkHeld();
      try (Lease next = two.lock("brief").acquire(AGES)) {
        assertThat(next.token()).isGreaterThan(brief.token());
      }
      assertThat(kept.release()).isTrue();
      try (Lease next = two.lock("kept").acquire(AGES)) {
        assertThat(next.token()).isGreaterThan(kept.token());
      }
    }
  }

  @Test
  void nobodyHasTheSameWriteLockAfterAFailOver() throws Exception {
    try (Sluice one = connect("?replicas=all&replicaTimeout=200ms");
        Sluice two = connect("?replicas=1")) {
      LeaseLock writer = writer(one);
      acquired(writer).close();
      redis.replica().pause();
      assertThatThrownBy(writer::tryAcquire).isInstanceOf(NotReplicatedException.class);
      redis.replica().resume();
      Lease kept = acquired(writer);
      redis.master().kill();
      await().atMost(AGES).until(redis::isPromoted);
      await()
          .atMost(AGES)
          .ignoreExceptions()
          .until(() -> two.inspect().permits("pair").holders().get(0).token() == kept.token());
      assertThat(writer(two).tryAcquire()).isEmpty();
    }
  }

  private static LeaseLock writer(Sluice client) {
    LockOptions options = LockOptions.renewing(Duration.ofMinutes(2));
    return client.readWriteLock("pair", options, ReadWriteOrder.FAIR).writeLock();
  }

  /** Replicas that hung need a moment. */
  private static Lease acquired(LeaseLock lock) {
    AtomicReference<Lease> lease = new AtomicReference<>();
    await()
        .atMost(AGES)
        .ignoreExceptions()
        .untilAsserted(() -> lease.set(lock.tryAcquire().orElseThrow()));
    return lease.get();
  }

  @Test
  void locksGoOnAndTokensGrow() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong turns = new AtomicLong();
    AtomicLong highest = new AtomicLong();
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    try (Sluice one = connect("");
        Sluice two = connect("")) {
      List<CompletableFuture<Void>> workers = new ArrayList<>();
      for (Sluice sluice : List.of(one, two)) {
        workers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!over.get()) {
                    try (Lease lease =
                        sluice.lock("x").async().acquire(AGES).toCompletableFuture().join()) {
                      long before = highest.getAndAccumulate(lease.token(), Math::max);
                      if (lease.token() <= before) {
                        wrong.add(lease.token() + " after " + before);
                      }
                      turns.incrementAndGet();
                    } catch (SluiceException | CompletionException e) {
                      // the master is away: the next turn asks again
                    }
                  }
                },
                task -> new Thread(task, "worker").start()));
      }
      await().atMost(AGES).until(() -> turns.get() > 50);
      redis.master().kill();
      await().atMost(AGES).until(redis::isPromoted);
      long before = turns.get();
      await().atMost(AGES).until(() -> turns.get() > before + 50);
      over.set(true);
      CompletableFuture.allOf(workers.toArray(new CompletableFuture<?>[0]))
          .get(60, TimeUnit.SECONDS);
      assertThat(wrong).isEmpty();
    }
  }
}
