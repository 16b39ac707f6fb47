package dev.sluice.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.NoQuorumException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.redis.QuorumOptions;
import dev.sluice.redis.RedisQuorum;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.RenewReply;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Five real servers of which some are killed, stopped, emptied, cut off, or slow. */
@EachRedis
class QuorumFaultIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final Duration MAX_TTL = Duration.ofSeconds(4);
  private static final LockOptions BRISK = LockOptions.renewing(MAX_TTL);
  private static final BackendSettings BACKEND = new BackendSettings(Duration.ofSeconds(6));
  private static final QuorumOptions SETTINGS = QuorumOptions.of(BACKEND).maxTtl(MAX_TTL).fresh();

  private final RedisBinary binary;
  private final List<RedisServer> servers = new ArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();

  QuorumFaultIT(RedisBinary binary) {
    this.binary = binary;
  }

  private void start(int count, String... arguments) {
    for (int i = 0; i < count; i++) {
      servers.add(RedisServer.start(binary, arguments));
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (RedisServer server : servers) {
      try {
        server.resume(); // so that clients can leave
      } catch (IllegalStateException e) {
        continue; // it was killed
      }
    }
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
    servers.forEach(RedisServer::close);
  }

  private RedisQuorum backend(QuorumOptions settings) {
    RedisQuorum quorum = RedisQuorum.connect(QuorumStore.uris(servers), settings);
    open.add(quorum);
    return quorum;
  }

  private Sluice client() {
    return client(SETTINGS);
  }

  private Sluice client(QuorumOptions settings) {
    Sluice client = Sluice.builder().backend(backend(settings)).build();
    open.add(client);
    return client;
  }

  private boolean isMember(RedisServer server) {
    Object record = server.call("GET", "sl:quorum");
    String run = server.call("INFO", "server").toString().replaceAll("(?s).*run_id:(\\w+).*", "$1");
    return record != null && record.toString().contains(run);
  }

  @Test
  void theUriOpensIt() throws Exception {
    start(3, "--requirepass", "secret");
    String nodes =
        servers.stream().map(s -> "127.0.0.1:" + s.port()).collect(Collectors.joining(","));
    try (Sluice sluice =
        Sluice.connect("redis-quorum://:secret@" + nodes + "/1?maxTtl=40s&fresh=true")) {
      assertThat(sluice.describe()).startsWith("Redis quorum of 3 at 127.0.0.1:");
      assertThat(sluice.describe()).doesNotContain("secret");
      try (Lease lease = sluice.lock("x").acquire(AGES)) {
        assertThat(lease.token()).isPositive();
        assertThat(sluice.inspect().lockNames(10).names()).containsExactly("x");
      }
      assertThatThrownBy(
              () -> sluice.lock("x", LockOptions.fixed(Duration.ofSeconds(41))).tryAcquire())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("ttl must be at most 40s, the maxTtl of this quorum: 41000ms");
      assertThatThrownBy(() -> sluice.rateLimiter("x"))
          .isInstanceOfAny(UnsupportedOperationException.class, IllegalArgumentException.class);
    }
  }

  @Test
  void aClientOfTheApplicationStaysOpen() throws Exception {
    start(3);
    RedisClient lettuce = RedisClient.create();
    try {
      RedisQuorum quorum = RedisQuorum.over(lettuce, QuorumStore.uris(servers), SETTINGS);
      try (Sluice sluice = Sluice.builder().backend(quorum).build()) {
        sluice.lock("x", BRISK).acquire(AGES).close();
        servers.get(0).call("CLIENT", "KILL", "TYPE", "normal");
        sluice.lock("x", BRISK).acquire(AGES).close();
      }
      quorum.close();
      assertThat(lettuce.connect(RedisURI.create(servers.get(0).uri())).sync().ping())
          .isEqualTo("PONG");
    } finally {
      lettuce.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  @Test
  void anUncontendedGrantIsOneRoundTrip() throws Exception {
    start(5);
    Sluice sluice = client();
    sluice.lock("warm", BRISK).acquire(AGES).close();
    long before = scripts();
    int grants = 200;
    for (int i = 0; i < grants; i++) {
      sluice.lock(i % 2 == 0 ? "x" : "x" + i, BRISK).acquire(AGES).close();
    }
    // an acquire and a release at each of five nodes; the last ones may still be on their way
    long perGrant = 10;
    assertThat(scripts() - before).isBetween(perGrant * grants - 10, perGrant * grants + 10);
  }

  private long scripts() {
    return servers.stream().mapToLong(QuorumFaultIT::scriptsOf).sum();
  }

  private static long scriptsOf(RedisServer server) {
    String stats = server.call("INFO", "commandstats").toString();
    return stats
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:") || line.startsWith("cmdstat_eval:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("^[^:]*:calls=(\\d+),.*", "$1")))
        .sum();
  }

  @Test
  void twoOfFiveStoppedAreNotWaitedFor() throws Exception {
    start(5);
    Sluice one = client();
    Sluice two = client();
    one.lock("x", BRISK).acquire(AGES).close();
    servers.get(1).pause();
    servers.get(3).pause();
    long began = System.nanoTime();
    long last = 0;
    for (int i = 0; i < 50; i++) {
      try (Lease lease = (i % 2 == 0 ? one : two).lock("x", BRISK).acquire(AGES)) {
        assertThat(lease.token()).isGreaterThan(last);
        last = lease.token();
      }
    }
    // with one request timeout per round it were 100 s or more
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    Lease held = one.lock("x", BRISK).acquire(AGES);
    assertThat(two.lock("x", BRISK).tryAcquire()).isEmpty();
    await().during(MAX_TTL.plusSeconds(1)).atMost(AGES).until(() -> isHeld(held));
    assertThat(held.release()).isTrue();
  }

  private static boolean isHeld(Lease lease) {
    return lease.state() == LeaseState.HELD || lease.state() == LeaseState.IN_DOUBT;
  }

  @Test
  void twoOfFiveKilledAndBackAgain() throws Exception {
    start(5);
    Sluice one = client();
    Lease held = one.lock("x", BRISK).acquire(AGES);
    servers.get(0).kill();
    servers.get(1).kill();
    held.checkHeld();
    try (Lease other = one.lock("y", BRISK).acquire(AGES)) {
      assertThat(other.token()).isPositive();
    }
    servers.get(0).restartEmpty();
    servers.get(1).restart();
    await().atMost(AGES).until(() -> isMember(servers.get(0)) && isMember(servers.get(1)));
    // the renewal entered the lease again at the nodes that were away
    await().atMost(AGES).until(() -> entries("x") == 5);
    assertThat(held.release()).isTrue();
    await().atMost(AGES).until(() -> one.inspect().lock("x").holder().isEmpty());
  }

  /** How many nodes have an entry of the lock. */
  private long entries(String name) {
    return servers.stream()
        .filter(
            server -> {
              Object vote = server.call("GET", "sl:{" + name + "}:vote");
              return vote != null && vote.toString().charAt(0) == 6; // a grant
            })
        .count();
  }

  @Test
  void rollingRestartWithoutDataLosesNoLeaseAndNoToken() throws Exception {
    start(3);
    Sluice one = client();
    Sluice two = client();
    Lease held = one.lock("held", BRISK).acquire(AGES);
    long last = 0;
    for (RedisServer server : servers) {
      server.kill();
      server.restartEmpty();
      while (!isMember(server)) {
        try (Lease lease = two.lock("x", BRISK).acquire(AGES)) {
          assertThat(lease.token()).isGreaterThan(last);
          last = lease.token();
        }
      }
      await().atMost(AGES).until(() -> entries("held") == 3);
    }
    held.checkHeld();
    assertThat(two.lock("held", BRISK).tryAcquire()).isEmpty();
    assertThat(held.release()).isTrue();
  }

  @Test
  void anEmptiedNodeSaysNothingUntilItHasWaitedAndLearnt() throws Exception {
    start(3);
    Sluice one = client();
    Lease held = one.lock("x", LockOptions.fixed(MAX_TTL)).acquire(AGES);
    servers.get(2).call("FLUSHALL");
    long emptied = System.nanoTime();
    one.lock("y", BRISK).acquire(AGES).close(); // notices
    assertThat(isMember(servers.get(2))).isFalse();
    servers.get(1).pause(); // two of three are left, one of which is no member
    assertThatThrownBy(() -> one.lock("z", BRISK).tryAcquire())
        .isInstanceOf(NoQuorumException.class)
        .hasMessageContaining("1 of 3 nodes answered 'acquire' as members, 2 are needed")
        .hasMessageContaining("is not a member at present");
    servers.get(1).resume();
    await().atMost(AGES).until(() -> isMember(servers.get(2)));
    assertThat(Duration.ofNanos(System.nanoTime() - emptied)).isGreaterThan(MAX_TTL);
    assertThat(held.state()).isEqualTo(LeaseState.LOST); // it was not renewed
    try (Lease next = one.lock("x", BRISK).acquire(AGES)) {
      assertThat(next.token()).isGreaterThan(held.token());
    }
  }

  /** What was sent to a server before it restarted must not take effect afterwards. */
  @Test
  void aMessageToAnEarlierRunOfTheServerIsRefused() throws Exception {
    start(3, "--appendonly", "yes", "--appendfsync", "always");
    RedisQuorum quorum = backend(SETTINGS);
    join(quorum.acquire(new GrantRequest("x", "me", 1, 1_000_000, 1, false)));
    RedisServer server = servers.get(0);
    server.kill();
    server.restart();
    assertThat(server.call("GET", "sl:quorum")).isNotNull();
    assertThat(isMember(server)).isFalse();
    await().atMost(AGES).until(() -> isMember(server));
  }

  @Test
  void durableNodesServeAtOnceAfterARestart() throws Exception {
    start(3, "--appendonly", "yes", "--appendfsync", "always");
    QuorumOptions durable = SETTINGS.maxTtl(Duration.ofHours(1)).durable();
    Sluice one = client(durable);
    Lease held = one.lock("x").acquire(AGES);
    for (RedisServer server : servers) {
      server.kill();
      server.restart();
      await()
          .atMost(AGES)
          .until(
              () -> {
                one.lock("y").acquire(AGES).close();
                return isMember(server);
              });
    }
    held.checkHeld();
    assertThat(client(durable).lock("x").tryAcquire()).isEmpty();
  }

  @Test
  void allNodesEmptiedFoundAnewAfterTheLongestLease() throws Exception {
    start(3);
    backend(SETTINGS).close();
    QuorumOptions careful = QuorumOptions.of(BACKEND).maxTtl(MAX_TTL);
    Lease held = client(careful).lock("x", BRISK).acquire(AGES);
    servers.forEach(server -> server.call("FLUSHALL"));
    long emptied = System.nanoTime();
    await().atMost(AGES).until(() -> held.state() == LeaseState.LOST);
    try (Lease next = client(careful).lock("x", BRISK).acquire(AGES)) {
      assertThat(Duration.ofNanos(System.nanoTime() - emptied)).isGreaterThan(MAX_TTL);
      assertThat(next.token()).isGreaterThan(held.token());
    }
  }

  @Test
  void withoutAMajorityThereIsAnErrorOfItsOwnInTime() throws Exception {
    start(5);
    Sluice one = client();
    Sluice two = client();
    Lease held = one.lock("x", BRISK).acquire(AGES);

    assertThatThrownBy(() -> two.lock("x", BRISK).acquire(Duration.ofSeconds(1)))
        .isInstanceOf(LockTimeoutException.class); // busy

    servers.get(0).pause();
    servers.get(1).pause();
    servers.get(2).kill();
    assertThatThrownBy(() -> two.lock("y", BRISK).tryAcquire())
        .isInstanceOf(NoQuorumException.class)
        .hasMessageContaining("2 of 5 nodes answered 'acquire' as members, 3 are needed");
    assertThatThrownBy(() -> two.lock("y", BRISK).acquire(Duration.ofSeconds(3)))
        .isInstanceOf(NoQuorumException.class);

    await().atMost(AGES).until(() -> held.state() == LeaseState.LOST);
    assertThatThrownBy(held::checkHeld).isInstanceOf(LeaseLostException.class); // lost
  }

  @Test
  void withoutAMajorityItDoesNotOpen() throws Exception {
    start(3);
    servers.get(0).kill();
    servers.get(1).kill();
    assertThatThrownBy(() -> backend(SETTINGS))
        .isInstanceOf(NoQuorumException.class)
        .hasMessageContaining("1 nodes can be reached, 2 are needed");
  }

  @Test
  void theSameServerTwiceIsNotTwoVotes() throws Exception {
    start(2);
    RedisURI alias = RedisURI.create("redis://localhost:" + servers.get(0).port());
    List<RedisURI> nodes =
        List.of(
            RedisURI.create(servers.get(0).uri()), alias, RedisURI.create(servers.get(1).uri()));
    RedisQuorum quorum = RedisQuorum.connect(nodes, SETTINGS.maxTtl(Duration.ofMillis(100)));
    open.add(quorum);
    CompletionStage<GrantReply> asked =
        quorum.acquire(new GrantRequest("x", "me", 1, 50_000, 1, false));
    assertThatThrownBy(() -> join(asked))
        .cause()
        .isInstanceOf(NoQuorumException.class)
        .hasMessageContaining("it is the same server as Redis at");
  }

  @Test
  void aNodeThatAnswersLateDoesNotHoldUpOthersAndItsLateGrantIsUndone() throws Exception {
    start(3);
    try (TcpProxy slow = new TcpProxy(servers.get(0).port())) {
      List<RedisURI> nodes = new ArrayList<>(QuorumStore.uris(servers));
      nodes.set(0, RedisURI.create("redis://127.0.0.1:" + slow.port()));
      RedisQuorum quorum = RedisQuorum.connect(nodes, SETTINGS.maxTtl(AGES));
      open.add(quorum);
      long ttl = AGES.toNanos() / 1000; // so that the last grant is there when it is looked at
      slow.holdRequests(true);
      GrantReply.Granted granted =
          (GrantReply.Granted) join(quorum.acquire(new GrantRequest("x", "me", 1, ttl, 1, false)));
      assertThat(join(quorum.release(new GrantAttempt.Id("x", "me", 1), 0))).isTrue();
      GrantReply.Granted next =
          (GrantReply.Granted) join(quorum.acquire(new GrantRequest("x", "you", 1, ttl, 1, false)));
      assertThat(next.token()).isGreaterThan(granted.token());
      slow.holdRequests(false); // acquire, release and acquire arrive, all late
      await().atMost(AGES).until(() -> entries("x") == 3);
      assertThat(join(quorum.inspect("x")).asLock().holder().orElseThrow().client())
          .isEqualTo("you");
    }
  }

  @Test
  void anAcquireThatArrivesAfterItsReleaseTakesNothing() throws Exception {
    start(3);
    RedisQuorum quorum = backend(SETTINGS);
    long ttl = MAX_TTL.toNanos() / 1000;
    GrantRequest request = new GrantRequest("x", "me", 1, ttl, 1, false);
    assertThat(join(quorum.acquire(request))).isInstanceOf(GrantReply.Granted.class);
    assertThat(join(quorum.release(new GrantAttempt.Id("x", "me", 1), 0))).isTrue();
    assertThat(join(quorum.acquire(request))).isInstanceOf(GrantReply.Over.class);
    assertThat(join(quorum.renew(new GrantAttempt.Id("x", "me", 1), ttl)))
        .isEqualTo(new RenewReply.Gone());
    assertThat(join(quorum.inspect("x")).asLock().holder()).isEmpty();
    assertThat(entries("x")).isZero();
  }

  @Test
  void aLongerLeaseThanTheQuorumWasFoundedWithIsRefused() throws Exception {
    start(3);
    backend(SETTINGS);
    RedisQuorum other = backend(SETTINGS.maxTtl(Duration.ofSeconds(10)));
    CompletionStage<GrantReply> asked =
        other.acquire(new GrantRequest("x", "me", 1, 5_000_000, 1, false));
    assertThatThrownBy(() -> join(asked))
        .hasMessageContaining("belongs to a quorum whose longest lease is 4s");
  }

  @Test
  void aWaitThatEndsWhileNobodyAnswersIsUnknown() throws Exception {
    start(3);
    Sluice one = client();
    servers.forEach(RedisServer::pause);
    assertThatThrownBy(() -> one.lock("x", BRISK).acquire(Duration.ofMillis(200)))
        .isInstanceOf(OutcomeUnknownException.class);
    servers.forEach(RedisServer::resume);
    await().atMost(AGES).until(() -> one.inspect().lock("x").holder().isEmpty());
  }

  private static <T> T join(CompletionStage<T> stage) throws Exception {
    CompletableFuture<T> future = stage.toCompletableFuture();
    return future.get(30, TimeUnit.SECONDS);
  }
}
