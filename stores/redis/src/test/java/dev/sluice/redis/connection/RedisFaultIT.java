package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.PatientClient;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real servers that are flushed, killed, paused, restarted and cut off: no hang, no orphan. */
@EachRedis
class RedisFaultIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final LockOptions RENEWING = LockOptions.renewing(Duration.ofSeconds(10));

  private final RedisServer server;

  RedisFaultIT(RedisBinary binary) {
    this.server = RedisServer.start(binary);
  }

  @BeforeEach
  void empty() {
    server.call("FLUSHALL");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void scriptsThatWereFlushedAreSentAgain() throws Exception {
    try (Sluice sluice = Sluice.connect(server.uri())) {
      for (int i = 0; i < 3; i++) {
        sluice.lock("x").acquire(AGES).close();
        server.call("SCRIPT", "FLUSH");
      }
      assertThat(sluice.lock("x").tryAcquire()).isPresent();
    }
  }

  @Test
  void aReleaseWhoseScriptWasFlushedIsAnsweredRightWhenTheNextAcquireOvertakesIt()
      throws Exception {
    BackendSettings settings = new BackendSettings(AGES);
    try (RedisBackend one = OpenedRedis.connect(server.uri(), settings)) {
      GrantRequest request = new GrantRequest("x", "me", 1, 30_000_000, 1, true);
      assertThat(one.locks().acquire(request).toCompletableFuture().get(30, TimeUnit.SECONDS))
          .isInstanceOf(GrantReply.Granted.class);
      for (int attempt = 1; attempt <= 100; attempt++) {
        server.call("SCRIPT", "FLUSH");
        try (RedisBackend other = OpenedRedis.connect(server.uri(), settings)) {
          other // teaches the server to acquire, and not to release
              .locks()
              .acquire(new GrantRequest("y", "other", attempt, 30_000_000, 1, true))
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
        }
        GrantRequest again =
            new GrantRequest("x", "me", attempt + 1, 30_000_000, 1, attempt % 2 == 0);
        CompletionStage<Boolean> released =
            one.locks().release(new GrantAttempt.Id("x", "me", attempt), 0);
        CompletionStage<GrantReply> next = one.locks().acquire(again);
        assertThat(released.toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(next.toCompletableFuture().get(30, TimeUnit.SECONDS))
            .isInstanceOf(GrantReply.Granted.class);
        assertThat(
                one.locks()
                    .release(new GrantAttempt.Id("x", "me", attempt), 0)
                    .toCompletableFuture()
                    .join())
            .as("the second time")
            .isFalse();
      }
    }
  }

  @Test
  void tokensGrowAcrossAFlushAndTheWaiterGetsTheLock() throws Exception {
    try (Sluice one = Sluice.connect(server.uri());
        Sluice two = Sluice.connect(server.uri())) {
      Lease lease = one.lock("x", RENEWING).acquire(AGES);
      CompletableFuture<Lease> waiting = waitIn(two, one);
      server.call("FLUSHALL");
      Lease next = waiting.get(30, TimeUnit.SECONDS);
      assertThat(next.token()).isGreaterThan(lease.token());
      lease.close();
      next.checkHeld();
      assertThat(one.inspect().lock("x").holder().orElseThrow().client()).isEqualTo(two.clientId());
      next.close();
    }
  }

  @Test
  void aLockThatWasEvictedIsLostAndTheNextTokenIsHigher() throws Exception {
    try (Sluice one = Sluice.connect(server.uri());
        Sluice two = Sluice.connect(server.uri())) {
      LockOptions brisk = LockOptions.renewing(Duration.ofSeconds(3));
      Lease lease = one.lock("x", brisk).acquire(AGES);
      server.call("DEL", "sl:{x}:lock");
      await().atMost(AGES).until(() -> lease.state() == LeaseState.LOST);
      try (Lease next = two.lock("x").acquire(AGES)) {
        assertThat(next.token()).isGreaterThan(lease.token());
      }
    }
  }

  @Test
  void tokensGrowWhenAnOldSnapshotComesBack() throws Exception {
    long highest = 0;
    try (Sluice one = Sluice.connect(server.uri())) {
      one.lock("x").acquire(AGES).close();
      server.call("COPY", "sl:{x}:lock", "snapshot");
      for (int i = 0; i < 100; i++) {
        try (Lease lease = one.lock("x").acquire(AGES)) {
          highest = lease.token();
        }
      }
      server.call("COPY", "snapshot", "sl:{x}:lock", "REPLACE");
    }
    try (Sluice two = Sluice.connect(server.uri());
        Lease lease = two.lock("x").acquire(AGES)) {
      assertThat(lease.token()).isGreaterThan(highest);
    }
  }

  @Test
  void killedConnectionsComeBack() throws Exception {
    try (Sluice one = Sluice.connect(server.uri());
        Sluice two = Sluice.connect(server.uri())) {
      Lease lease = one.lock("x", RENEWING).acquire(AGES);
      CompletableFuture<Lease> waiting = waitIn(two, one);
      server.call("CLIENT", "KILL", "TYPE", "pubsub");
      server.call("CLIENT", "KILL", "TYPE", "normal");
      await().atMost(AGES).ignoreExceptions().until(() -> waits(one, two));
      lease.checkHeld();
      lease.close();
      try (Lease next = waiting.get(30, TimeUnit.SECONDS)) {
        assertThat(next.token()).isGreaterThan(lease.token());
      }
      await().atMost(AGES).until(() -> inboxes().size() == 2);
    }
    await().atMost(AGES).until(() -> inboxes().isEmpty());
  }

  @Test
  void tokensGrowAcrossARestartThatLosesEverything() throws Exception {
    try (Sluice sluice = Sluice.connect(server.uri())) {
      long before;
      try (Lease lease = sluice.lock("x").acquire(AGES)) {
        before = lease.token();
      }
      server.kill();
      assertThatThrownBy(() -> sluice.lock("x").tryAcquire()).isInstanceOf(BackendException.class);
      server.restartEmpty();
      try (Lease lease = sluice.lock("x").acquire(AGES)) {
        assertThat(lease.token()).isGreaterThan(before);
      }
    }
  }

  private static boolean isNotSent(Sluice sluice) {
    try {
      return sluice.lock("another").tryAcquire().isPresent();
    } catch (SluiceException e) {
      return String.valueOf(e.getMessage()).endsWith("was not sent");
    }
  }

  @Test
  void aTimedAcquireEndsByItselfWhileTheServerIsGone() {
    try (Sluice sluice = Sluice.connect(server.uri())) {
      server.kill();
      await().atMost(AGES).until(() -> isNotSent(sluice)); // what is under way when it dies is not
      long start = System.nanoTime();
      assertThatThrownBy(() -> sluice.lock("x").acquire(Duration.ofSeconds(1)))
          .isExactlyInstanceOf(BackendException.class)
          .hasMessageMatching(
              "lock 'x': not acquired within \\d+ms; Redis at 127.0.0.1:"
                  + server.port()
                  + " failed \\d+ times: Redis at 127.0.0.1:"
                  + server.port()
                  + " is not connected at present; 'acquire' was not sent");
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertThat(took).isBetween(Duration.ofMillis(990), AGES);
    }
  }

  @Test
  void aPauseShorterThanTheLeaseIsSurvived() throws Exception {
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      Lease lease = sluice.lock("x", RENEWING).acquire(AGES);
      server.pause();
      CompletableFuture<Boolean> renewal =
          CompletableFuture.supplyAsync(() -> sluice.lock("y").tryAcquire().isPresent());
      assertThatThrownBy(() -> renewal.get(500, TimeUnit.MILLISECONDS))
          .isInstanceOf(java.util.concurrent.TimeoutException.class);
      server.resume();
      assertThat(renewal.get(30, TimeUnit.SECONDS)).isTrue();
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      lease.close();
    }
  }

  @Test
  void aPauseLongerThanTheLeaseLosesItBeforeAnybodyElseGetsIt() throws Exception {
    LockOptions brief = LockOptions.renewing(Duration.ofMillis(500));
    try (Sluice one = Sluice.connect(server.uri());
        Sluice two = Sluice.connect(server.uri())) {
      Lease lease = one.lock("x", brief).acquire(AGES);
      server.pause();
      await().atMost(AGES).until(() -> lease.state() == LeaseState.LOST);
      server.resume();
      try (Lease next = two.lock("x").acquire(AGES)) {
        assertThat(next.token()).isGreaterThan(lease.token());
        lease.close();
        next.checkHeld();
      }
    }
  }

  @Test
  void aGrantWhoseReplyIsLostIsUndone() throws Exception {
    try (TcpProxy proxy = new TcpProxy(server.port());
        Sluice one = connect(proxy, Duration.ofSeconds(2));
        Sluice two = Sluice.connect(server.uri())) {
      one.lock("y").acquire(AGES).close(); // connected, scripts known
      proxy.holdReplies(true);
      assertThatThrownBy(() -> one.lock("x", RENEWING).tryAcquire())
          .isInstanceOf(OutcomeUnknownException.class);
      assertThat(two.inspect().lock("x").lastToken()).isPositive(); // the server did grant it
      proxy.cut();
      proxy.holdReplies(false);
      await().atMost(AGES).until(() -> two.inspect().lock("x").holder().isEmpty());
    }
  }

  @Test
  void aRequestThatComesAfterItsReleaseTakesNothing() throws Exception {
    BackendSettings settings = new BackendSettings(Duration.ofSeconds(2));
    try (TcpProxy proxy = new TcpProxy(server.port());
        RedisBackend late = OpenedRedis.connect("redis://127.0.0.1:" + proxy.port(), settings);
        RedisBackend direct = OpenedRedis.connect(server.uri(), settings)) {
      get(late.locks().release(new GrantAttempt.Id("y", "a", 1), 0));
      get(direct.locks().acquire(request("warm", 1)));
      proxy.holdRequests(true);
      CompletionStage<GrantReply> lost = late.locks().acquire(request("a", 5));
      await().atMost(AGES).until(() -> proxy.heldRequests() > 0);
      assertThatThrownBy(() -> get(lost)).cause().isInstanceOf(OutcomeUnknownException.class);
      get(direct.locks().release(new GrantAttempt.Id("x", "warm", 1), 0));
      get(direct.locks().release(new GrantAttempt.Id("x", "a", 5), 0));
      long executed = executedScripts();
      proxy.cut();
      proxy.holdRequests(false);
      await().atMost(AGES).until(() -> executedScripts() > executed);
      assertThat(get(direct.locks().inspect("x")).asLock().holder()).isEmpty();
    }
  }

  @Test
  void callsUnderWayEndWithTheirConnectionAndAreNotSentAgain() throws Exception {
    BackendSettings settings = new BackendSettings(Duration.ofSeconds(20));
    try (TcpProxy proxy = new TcpProxy(server.port());
        RedisBackend backend = OpenedRedis.connect("redis://127.0.0.1:" + proxy.port(), settings)) {
      get(backend.locks().inspect("y")).asLock();
      get(backend.locks().acquire(request("a", 1)));
      get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0));
      proxy.holdReplies(true);
      CompletionStage<GrantReply> lost = backend.locks().acquire(request("a", 2));
      await().atMost(AGES).until(() -> proxy.heldReplies() > 0);
      long executed = executedScripts();
      proxy.cut();
      assertThatThrownBy(() -> get(lost))
          .cause()
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessage(
              "Redis at 127.0.0.1:"
                  + proxy.port()
                  + " closed the connection before it answered 'acquire'");
      proxy.holdReplies(false);
      await()
          .atMost(AGES)
          .ignoreExceptions()
          .until(() -> get(backend.locks().inspect("y")) != null);
      assertThat(executedScripts() - executed).isEqualTo(1); // the inspect
    }
  }

  @Test
  void aSilentConnectionIsGivenUp() {
    BackendSettings impatient = new BackendSettings(Duration.ofSeconds(3)); // and connected by then
    try (TcpProxy proxy = new TcpProxy(server.port())) {
      assertSilenceEnds(proxy, OpenedRedis.connect(uri(proxy), impatient));
    }
  }

  @Test
  void aSilentConnectionOfTheApplicationsClientIsGivenUp() {
    BackendSettings impatient = new BackendSettings(Duration.ofSeconds(3)); // and connected by then
    RedisClient client = RedisClient.create(); // with a timer for each command
    try (TcpProxy proxy = new TcpProxy(server.port())) {
      assertSilenceEnds(
          proxy,
          OpenedRedis.builder(impatient).client(client, RedisURI.create(uri(proxy))).build());
    } finally {
      client.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  /** The host seems gone; then it is back, but the old connection stays mute for good. */
  private void assertSilenceEnds(TcpProxy proxy, RedisBackend backend) {
    try (backend) {
      get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0));
      long before = connections();
      proxy.holdRequests(true);
      await()
          .atMost(AGES)
          .until(
              () -> {
                assertThatThrownBy(() -> get(backend.locks().inspect("x")))
                    .cause()
                    .isInstanceOf(BackendException.class);
                return connections() > before; // asks for a new line while the old one is open
              });
      proxy.holdRequests(false);
      await()
          .atMost(AGES)
          .ignoreExceptions()
          .until(() -> get(backend.locks().inspect("x")) != null);
      assertThat(get(backend.locks().acquire(request("a", 2))))
          .isInstanceOf(GrantReply.Granted.class);
    }
  }

  @Test
  void theTimerOfTheApplicationsClientIsNoLostConnection() {
    RedisClient client = RedisClient.create();
    try (TcpProxy proxy = new TcpProxy(server.port())) {
      RedisURI hasty = RedisURI.builder(RedisURI.create(uri(proxy))).build();
      hasty.setTimeout(Duration.ofSeconds(3));
      try (RedisBackend backend =
          OpenedRedis.builder(new BackendSettings(Duration.ofSeconds(20)))
              .client(client, hasty)
              .build()) {
        get(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0));
        proxy.holdRequests(true);
        assertThatThrownBy(() -> get(backend.locks().inspect("x")))
            .cause()
            .isInstanceOf(OutcomeUnknownException.class)
            .hasMessageMatching(
                "Redis at 127.0.0.1:"
                    + proxy.port()
                    + " did not answer 'inspect' within \\d+(ms|s)");
      }
    } finally {
      client.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  private static String uri(TcpProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }

  @Test
  void aHundredThousandContendedLocksLeaveNoChannelAndNoConnection() throws Exception {
    AtomicLong inside = new AtomicLong();
    try (Sluice one = Sluice.connect(server.uri());
        Sluice two = Sluice.connect(server.uri())) {
      CompletableFuture<?>[] workers = new CompletableFuture<?>[4];
      for (int w = 0; w < workers.length; w++) {
        Sluice mine = w % 2 == 0 ? one : two;
        workers[w] =
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < 25_000; i++) {
                    String name = i % 25 == 0 ? "x" + i / 25 % 5 : "hot";
                    try (Lease lease = mine.lock(name).acquire(AGES)) {
                      lease.checkHeld();
                      inside.incrementAndGet();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                  }
                });
      }
      CompletableFuture.allOf(workers).get(300, TimeUnit.SECONDS);
      assertThat(inside.get()).isEqualTo(100_000);
      assertThat(inboxes()).hasSize(2);
      assertThat(connections()).isEqualTo(5); // two each, and the observer's
    }
    await().atMost(AGES).until(() -> inboxes().isEmpty() && connections() == 1);
  }

  private static Sluice connect(TcpProxy proxy, Duration timeout) {
    return Sluice.builder()
        .uri("redis://127.0.0.1:" + proxy.port())
        .requestTimeout(timeout)
        .build();
  }

  private static CompletableFuture<Lease> waitIn(Sluice waiter, Sluice observer) {
    CompletableFuture<Lease> waiting =
        waiter.lock("x", RENEWING).async().acquire(AGES).toCompletableFuture();
    await().atMost(AGES).until(() -> waits(observer, waiter));
    return waiting;
  }

  private static boolean waits(Sluice observer, Sluice waiter) {
    return observer.inspect().lock("x").waiters().stream()
        .anyMatch(w -> w.client().equals(waiter.clientId()));
  }

  private List<?> inboxes() {
    return (List<?>) server.call("PUBSUB", "CHANNELS", "sl:*");
  }

  private long connections() {
    return String.valueOf(server.call("CLIENT", "LIST")).lines().count();
  }

  private long executedScripts() {
    return String.valueOf(server.call("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
        .sum();
  }

  private static GrantRequest request(String client, long attempt) {
    return new GrantRequest("x", client, attempt, 10_000_000, 1, false);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
