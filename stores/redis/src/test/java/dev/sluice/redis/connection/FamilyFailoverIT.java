package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.inventory.Sale;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.MultiLease;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.lock.Term;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisSentinel;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A master is killed while every kind is in use; what its replica has heard of goes on there. */
@Timeout(180)
class FamilyFailoverIT {
  private static final Duration AGES = Duration.ofSeconds(60);

  private static final Pattern OFFSETS =
      Pattern.compile("(?s)slave0:[^\\n]*,offset=(\\d+),.*master_repl_offset:(\\d+)");

  /** Long enough to live through a fail-over on a slow machine. */
  private static final LockOptions LONG = LockOptions.renewing(Duration.ofMinutes(2));

  @Test
  void ofTheMasterThatSentinelsWatch() throws Exception {
    try (RedisSentinel redis = RedisSentinel.start(RedisBinary.any(), 1, Duration.ofSeconds(2))) {
      goesOn(redis.uri(), redis.master(), kind -> kind);
    }
  }

  @Test
  void ofOneMasterOfACluster() throws Exception {
    try (RedisCluster redis = RedisCluster.start(RedisBinary.any(), 3, 1)) {
      RedisServer victim = redis.masters().get(0);
      goesOn(redis.uri(), victim, kind -> nameOn(redis, victim, kind));
    }
  }

  private static String nameOn(RedisCluster redis, RedisServer server, String kind) {
    int number = 0;
    while (redis.masterOf(redis.slot("sl:{" + kind + number + "}:lock")) != server) {
      number++;
    }
    return kind + number;
  }

  private static Sluice connect(String uri) {
    return Sluice.builder().uri(uri).requestTimeout(Duration.ofSeconds(5)).build();
  }

  private static void goesOn(String uri, RedisServer master, UnaryOperator<String> naming)
      throws Exception {
    String seats = naming.apply("seats");
    String pair = naming.apply("pair");
    String gate = naming.apply("gate");
    String chief = naming.apply("chief");
    String sku = naming.apply("sku");
    List<String> both = List.of(naming.apply("left"), naming.apply("right"));
    try (Sluice one = connect(uri);
        Sluice two = connect(uri)) {
      Lease seat = one.semaphore(seats, 2, LONG).acquire(AGES);
      Lease reader = one.readWriteLock(pair, LONG, ReadWriteOrder.FAIR).readLock().acquire(AGES);
      MultiLease all = one.multiLock(both, LONG).acquire(AGES);
      DistributedLatch latch = one.latch(gate);
      latch.trySetCount(2);
      CompletableFuture<Boolean> opened = opening(two.latch(gate));
      one.inventory(sku).open(Sale.epoch(1).total(2).drained());
      long claim = one.inventory(sku).claim("ann", 1, "r").claimId();
      BlockingQueue<Term> terms = new LinkedBlockingQueue<>();
      LeaderElection first = one.election(chief, LONG).lead(term -> serve(term, terms));
      Term term = terms.poll(60, TimeUnit.SECONDS);
      two.election(chief, LONG).lead(next -> serve(next, terms));
      await().atMost(AGES).until(() -> one.inspect().lock(chief).waiters().size() == 1);
      await().atMost(AGES).until(() -> isInStep(master));

      master.kill();
      for (Sluice each : List.of(one, two)) {
        await().atMost(AGES).ignoreExceptions().until(() -> each.inspect().permits(seats) != null);
      }

      Lease other = two.semaphore(seats, 2, LONG).acquire(AGES);
      assertThat(other.token()).isGreaterThan(seat.token());
      assertThat(two.semaphore(seats, 2, LONG).tryAcquire()).isEmpty();
      assertThat(seat.release()).isTrue();
      assertThat(two.semaphore(seats, 2, LONG).tryAcquire()).isPresent();

      assertThat(writer(two, pair).tryAcquire()).isEmpty();
      assertThat(reader.release()).isTrue();
      assertThat(writer(two, pair).acquire(AGES).token()).isGreaterThan(reader.token());

      assertThat(two.multiLock(both, LONG).tryAcquire()).isEmpty();
      assertThat(all.release()).isTrue();
      MultiLease next = two.multiLock(both, LONG).acquire(AGES);
      assertThat(both).allMatch(name -> next.token(name) > all.token(name));

      assertThat(latch.countDown()).isEqualTo(1);
      assertThat(opened).isNotDone();
      assertThat(latch.countDown()).isZero();
      assertThat(opened.get(60, TimeUnit.SECONDS)).isTrue();

      assertThat(two.inventory(sku).claim("ann", 1, "r").claimId()).isEqualTo(claim);
      assertThat(one.inventory(sku).claim("bob", 1, "r").claimId()).isGreaterThan(claim);
      assertThat(two.inventory(sku).info().waiting()).isEqualTo(2);

      assertThat(term.isLeader()).isTrue();
      first.close();
      assertThat(terms.poll(60, TimeUnit.SECONDS).token()).isGreaterThan(term.token());
    }
  }

  private static LeaseLock writer(Sluice client, String name) {
    return client.readWriteLock(name, LONG, ReadWriteOrder.FAIR).writeLock();
  }

  private static CompletableFuture<Boolean> opening(DistributedLatch latch) {
    CompletableFuture<Boolean> opened = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                opened.complete(latch.await(AGES.multipliedBy(2)));
              } catch (InterruptedException | RuntimeException e) {
                opened.completeExceptionally(e);
              }
            },
            "waits at a latch")
        .start();
    return opened;
  }

  private static void serve(Term term, BlockingQueue<Term> terms) {
    terms.add(term);
    term.over().toCompletableFuture().join();
  }

  /** Its replica has heard of all that was written. */
  private static boolean isInStep(RedisServer master) {
    Matcher offsets = OFFSETS.matcher(String.valueOf(master.call("INFO", "replication")));
    return offsets.find() && offsets.group(1).equals(offsets.group(2));
  }
}
