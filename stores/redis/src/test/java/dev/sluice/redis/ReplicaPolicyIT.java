package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.redis.connection.Uris;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A master with two replicas, which answer or hang: what grants and count-downs promise. */
@EachRedis
@Timeout(120)
class ReplicaPolicyIT {
  private static final Duration AGES = Duration.ofSeconds(30);

  private final RedisBinary binary;
  private final List<Sluice> open = new ArrayList<>();
  private RedisServer master;
  private RedisServer first;
  private RedisServer second;

  ReplicaPolicyIT(RedisBinary binary) {
    this.binary = binary;
  }

  @BeforeEach
  void start() {
    master =
        RedisServer.start(binary, "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0");
    first = replica();
    second = replica();
    await().atMost(AGES).until(() -> role().split("127.0.0.1", -1).length == 3);
  }

  private RedisServer replica() {
    RedisServer replica = RedisServer.start(binary);
    replica.call("REPLICAOF", "127.0.0.1", "" + master.port());
    await()
        .atMost(AGES)
        .until(
            () ->
                String.valueOf(replica.call("INFO", "replication"))
                    .contains("master_link_status:up"));
    return replica;
  }

  /** With the host of each replica. */
  private String role() {
    return String.valueOf(master.call("ROLE"));
  }

  @AfterEach
  void stop() {
    first.resume();
    second.resume();
    open.forEach(Sluice::close);
    first.close();
    second.close();
    master.close();
  }

  private Sluice with(ReplicaPolicy policy) {
    RedisBackend backend =
        RedisBackend.builder()
            .uri(master.uri())
            .requestTimeout(Duration.ofSeconds(20))
            .replicas(policy)
            .build();
    Sluice sluice = Sluice.builder().backend(backend).build();
    open.add(sluice);
    return sluice;
  }

  @Test
  void oneOfTwoIsEnoughWhenOneIsAskedForAndTheOtherHangsAtNoCost() throws Exception {
    Sluice sluice = with(ReplicaPolicy.atLeast(1).timeout(Duration.ofSeconds(8)));
    sluice.lock("x").acquire(AGES).close();
    second.pause();
    long start = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      sluice.lock("x").acquire(AGES).close();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("ten times without waiting for the one that hangs")
        .isLessThan(Duration.ofSeconds(8));
  }

  @Test
  void allRefusesInItsTimeWhenOneHangsAndLeavesNothingHeld() throws Exception {
    Sluice sluice = with(ReplicaPolicy.all().timeout(Duration.ofSeconds(1)));
    Sluice other = with(ReplicaPolicy.none());
    confirmed(sluice.lock("x"));
    long before = other.inspect().lock("x").lastToken();
    second.pause();
    long start = System.nanoTime();
    assertThatThrownBy(() -> sluice.lock("x").acquire(Duration.ofSeconds(10)))
        .isInstanceOf(NotReplicatedException.class)
        .hasMessageContaining("not confirmed by all replicas")
        .hasMessageContaining("within 1s")
        .hasMessageContaining("the grant was released");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    assertThat(other.inspect().lock("x").holder()).isEmpty();
    assertThatThrownBy(() -> sluice.lock("x").tryAcquire())
        .isInstanceOf(NotReplicatedException.class);
    try (Lease lease = other.lock("x").tryAcquire().orElseThrow()) {
      assertThat(lease.token()).isGreaterThan(before);
    }
    second.resume();
    await()
        .atMost(AGES)
        .ignoreExceptions()
        .untilAsserted(() -> sluice.lock("x").acquire(AGES).close());
  }

  @Test
  void nobodyConfirmsAndThereAreTooFew() throws Exception {
    Sluice one = with(ReplicaPolicy.atLeast(1).timeout(Duration.ofMillis(200)));
    Sluice three = with(ReplicaPolicy.atLeast(3).timeout(Duration.ofMillis(200)));
    Sluice all = with(ReplicaPolicy.all().timeout(Duration.ofMillis(200)));
    assertThatThrownBy(() -> three.lock("x").tryAcquire())
        .isInstanceOf(NotReplicatedException.class)
        .hasMessageContaining("by 3 replicas");
    first.pause();
    second.pause();
    assertThatThrownBy(() -> one.lock("x").tryAcquire())
        .isInstanceOf(NotReplicatedException.class)
        .hasMessageContaining("by 1 replica");
    first.close();
    second.close();
    await().atMost(AGES).until(() -> !role().contains("127.0.0.1"));
    assertThatThrownBy(() -> all.lock("x").tryAcquire())
        .as("all of none is none")
        .isInstanceOf(NotReplicatedException.class)
        .hasMessageContaining("0 of 0 did");
    assertThat(one.inspect().lock("x").holder()).isEmpty();
    first = RedisServer.start(binary);
    second = RedisServer.start(binary);
  }

  @Test
  void aRenewalThatReplicasDoNotHaveDoesNotCount() throws Exception {
    Sluice sluice = with(ReplicaPolicy.all().timeout(Duration.ofSeconds(1)));
    LockOptions brisk = LockOptions.renewing(Duration.ofSeconds(4));
    Lease lease = sluice.lock("x", brisk).acquire(AGES);
    await().atMost(AGES).until(() -> commands("wait") >= 3); // renewals wait too
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    first.pause();
    assertThatThrownBy(() -> lease.renew(Duration.ofSeconds(4)))
        .isInstanceOf(NotReplicatedException.class);
    await().atMost(AGES).until(() -> lease.state() == LeaseState.LOST);
    first.resume();
    assertThat(lease.release()).isFalse();
  }

  @Test
  void everyKindOfGrantIsRefusedWhileOneHangsAndGivenBack() throws Exception {
    Sluice sluice = with(ReplicaPolicy.all().timeout(Duration.ofSeconds(1)));
    Sluice other = with(ReplicaPolicy.none());
    DistributedReadWriteLock pair = sluice.readWriteLock("pair");
    sluice.semaphore("seats", 2).acquire(AGES).close();
    confirmed(pair.readLock());
    confirmed(pair.writeLock());
    second.pause();
    assertRefused(() -> sluice.semaphore("seats", 2).tryAcquire());
    assertRefused(() -> sluice.semaphore("seats", 2).acquire(Duration.ofSeconds(10)));
    assertRefused(() -> pair.readLock().tryAcquire());
    assertRefused(() -> pair.writeLock().tryAcquire());
    assertRefused(
        () -> sluice.multiLock(List.of("a", "b"), LockOptions.renewing(AGES)).tryAcquire());
    assertThat(other.inspect().permits("seats").holders()).isEmpty();
    assertThat(other.inspect().permits("pair").holders()).isEmpty();
    assertThat(other.inspect().lock("a").holder()).isEmpty();
    assertThat(other.inspect().lock("b").holder()).isEmpty();
    second.resume();
    await()
        .atMost(AGES)
        .ignoreExceptions()
        .untilAsserted(() -> pair.writeLock().acquire(AGES).close());
  }

  /** Takes and gives back a lock. Replicas that the machine holds up need another try. */
  private static void confirmed(LeaseLock lock) {
    await()
        .atMost(AGES)
        .ignoreExceptionsInstanceOf(NotReplicatedException.class)
        .untilAsserted(() -> lock.acquire(AGES).close());
  }

  private static void assertRefused(ThrowingCallable acquire) {
    assertThatThrownBy(acquire)
        .isInstanceOf(NotReplicatedException.class)
        .hasMessageContaining("not confirmed by all replicas")
        .hasMessageContaining("the grant was released");
  }

  @Test
  void aRenewalOfASemaphoreThatReplicasDoNotHaveDoesNotCount() throws Exception {
    Sluice sluice = with(ReplicaPolicy.all().timeout(Duration.ofSeconds(1)));
    LockOptions brisk = LockOptions.renewing(Duration.ofSeconds(4));
    Lease lease = sluice.semaphore("seats", 2, brisk).acquire(AGES);
    await().atMost(AGES).until(() -> commands("wait") >= 3);
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    first.pause();
    assertThatThrownBy(() -> lease.renew(Duration.ofSeconds(4)))
        .isInstanceOf(NotReplicatedException.class);
    await().atMost(AGES).until(() -> lease.state() == LeaseState.LOST);
    first.resume();
  }

  @Test
  void aCountDownWaitsForReplicas() throws Exception {
    DistributedLatch latch = with(ReplicaPolicy.all().timeout(Duration.ofSeconds(8))).latch("gate");
    assertThat(latch.trySetCount(3)).isTrue();
    second.pause();
    CompletableFuture<Long> left = CompletableFuture.supplyAsync(latch::countDown);
    await().atMost(AGES).until(() -> latch.info().count() == 2);
    assertThat(left).as("the replica hangs still").isNotDone();
    second.resume();
    assertThat(left.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    assertThat(latch.info().count()).isEqualTo(2);
  }

  @Test
  void aCountDownThatIsNotConfirmedIsRepeatedCountsOnceAndHasAnUnknownOutcome() {
    Sluice sluice = with(ReplicaPolicy.all().timeout(Duration.ofMillis(200)));
    DistributedLatch latch = sluice.latch("gate");
    await().atMost(AGES).ignoreExceptions().until(() -> latch.trySetCount(3));
    long before = commands("wait");
    second.pause();
    assertThatThrownBy(latch::countDown)
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("the count of 'gate' was not confirmed by all replicas");
    assertThat(commands("wait") - before).as("how often it was sent").isGreaterThan(1);
    assertThat(latch.info().count()).as("once").isEqualTo(2);
    assertThatThrownBy(() -> sluice.latch("other").trySetCount(1))
        .isInstanceOf(OutcomeUnknownException.class);
    second.resume();
    await().atMost(AGES).ignoreExceptions().until(() -> latch.countDown() <= 1);
  }

  @Test
  void whoWaitsForReplicasHoldsUpNobodyElse() throws Exception {
    Sluice sluice = with(ReplicaPolicy.all().timeout(Duration.ofSeconds(6)));
    Lease before = sluice.lock("before").acquire(AGES);
    first.pause();
    CompletableFuture<Lease> waiting = sluice.lock("x").async().acquire(AGES).toCompletableFuture();
    await().atMost(AGES).until(() -> sluice.inspect().lock("x").holder().isPresent());
    for (int i = 0; i < 50; i++) {
      sluice.inspect().lock("y");
    }
    assertThat(before.release()).as("a release waits for nobody").isTrue();
    assertThat(waiting).as("the replica hangs still").isNotDone();
    first.resume();
    waiting.get(30, TimeUnit.SECONDS).close();
  }

  @Test
  void grantsThatComeTogetherShareOneWait() throws Exception {
    Sluice sluice = with(ReplicaPolicy.all().timeout(Duration.ofSeconds(8)));
    sluice.lock("x").acquire(AGES).close();
    long waits = commands("wait");
    first.pause(); // those that come meanwhile come together
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(sluice.lock("n" + i).async().acquire(AGES).toCompletableFuture());
    }
    await().atMost(AGES).until(() -> sluice.inspect().lock("n99").holder().isPresent());
    first.resume();
    for (CompletableFuture<Lease> one : all) {
      one.get(30, TimeUnit.SECONDS).close();
    }
    assertThat(commands("wait") - waits).isBetween(1L, 50L);
  }

  @Test
  void uriSaysHowMany() throws Exception {
    try (Sluice one = Sluice.connect(master.uri() + "?replicas=2&replicaTimeout=900ms")) {
      one.lock("x").acquire(AGES).close();
      assertThat(commands("wait")).as("one more for a script it did not know").isBetween(1L, 2L);
      second.pause();
      assertThatThrownBy(() -> one.lock("x").tryAcquire())
          .isInstanceOf(NotReplicatedException.class)
          .hasMessageContaining("by 2 replicas")
          .hasMessageContaining("within 900ms");
    }
    assertThatThrownBy(() -> Sluice.connect(master.uri() + "?replicas=most"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("replicas must be none, all, or a number: most");
    assertThatThrownBy(() -> Sluice.connect(master.uri() + "?replicas=1&replicaTimeout=5"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void namesInAUrlMayBeWrittenLargeOrSmall() {
    assertThat(Uris.replicas("redis://host?Replicas=2&replicatimeout=900ms"))
        .isEqualTo(ReplicaPolicy.atLeast(2).timeout(Duration.ofMillis(900)));
    assertThat(Uris.withoutReplicas("redis://host?REPLICAS=2")).isEqualTo("redis://host");
  }

  private long commands(String name) {
    Matcher calls =
        Pattern.compile("cmdstat_" + name + ":calls=(\\d+)")
            .matcher(String.valueOf(master.call("INFO", "commandstats")));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }
}
