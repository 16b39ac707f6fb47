package dev.sluice.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.PatientClient;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.QueueRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user with the rights that docs/operations.md names, and one with fewer. */
@EachRedis
public class AclIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final BackendSettings SETTINGS = new BackendSettings(AGES);

  private final RedisServer server;

  AclIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void empty() {
    server.call("FLUSHALL");
    server.call("SCRIPT", "FLUSH");
  }

  @AfterEach
  void dropUser() {
    server.call("ACL", "DELUSER", "sluice");
  }

  @Test
  void theDocumentedRightsAreEnough() throws Exception {
    user(documentedRules());
    try (Sluice one = connect();
        Sluice two = connect()) {
      assertHandsOver(one, two);
      assertThat(one.inspect().lockNames(10).names()).containsExactly("x");
    }
    try (RedisBackend backend = OpenedRedis.connect(uri(), SETTINGS)) {
      get(backend.locks().listen("a", message -> {}));
      for (int i = 0; i < 70; i++) { // enough clients for the sweep of tombstones
        get(backend.locks().acquire(request("c" + i)));
        get(backend.locks().release(new GrantAttempt.Id("y", "c" + i, 1), 0));
      }
      backend.locks().unlisten("a");
    }
  }

  @Test
  void theDocumentedRightsAreEnoughForLimits() throws Exception {
    user(documentedRules());
    try (Sluice sluice = connect()) {
      for (Limit.Algorithm algorithm : Limit.Algorithm.values()) {
        Limit limit = Limit.parse(algorithm.word() + " 1000/1h");
        RateLimiter limiter =
            sluice.rateLimiter(algorithm.word(), RateLimiterOptions.of(limit).deadline(AGES));
        for (int i = 0; i < 3; i++) {
          assertFromStore(limiter.tryAcquire("x", 1)); // refused by the queue, which is an answer
          assertFromStore(limiter.peek("x", 1));
        }
        if (algorithm != Limit.Algorithm.LEAKY_QUEUE) {
          limiter.refund("x", 2);
          limiter.refund("x", 2);
        }
        limiter.reset("x");
      }
      assertThat(sluice.throttle().clThrottle("x", 5, 7, 60, 1).limited()).isZero();
      sluice.throttle().clThrottle("x", 5, 7, 60, -5);
    }
    try (RedisBackend backend = OpenedRedis.connect(uri(), SETTINGS)) {
      LimitBackend limits = backend.limits();
      get(limits.listenForTurns("client", ticket -> {}));
      for (int ticket = 1; ticket <= 4; ticket++) {
        assertThat(get(limits.enter(turn(ticket, 1))).admitted()).isTrue();
      }
      get(limits.leave(turn(2, 1)));
      get(limits.advance(turn(3, 1)));
      get(limits.advance(turn(4, 1)));
      await().atMost(AGES).until(() -> get(limits.enter(turn(5, 0))).waiting() == 0);
    }
  }

  @Test
  void theDocumentedRightsAreEnoughForLatchesAndForcedReleases() throws Exception {
    user(documentedRules());
    try (Sluice one = PatientClient.connect(uri());
        Sluice two = PatientClient.connect(uri())) {
      assertThat(one.latch("x").trySetCount(2)).isTrue();
      CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> open(two, "x"));
      await().atMost(AGES).until(() -> server.call("ZCARD", "sl:{x}:latchers").equals(1L));
      one.latch("x").countDown();
      one.latch("x").countDown();
      assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
      assertThat(one.latch("x").trySetCount(1)).isTrue();

      Lease lease = one.lock("y").acquire(AGES);
      CompletableFuture<Lease> next = two.lock("y").async().acquire(AGES).toCompletableFuture();
      await().atMost(AGES).until(() -> one.inspect().lock("y").waiters().size() == 1);
      assertThat(two.lock("y").forceRelease()).isPresent();
      assertThat(next.get(30, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }
  }

  @Test
  void theDocumentedRightsAreEnoughForStock() {
    user(documentedRules());
    try (RedisBackend backend = OpenedRedis.connect(uri(), SETTINGS)) {
      PartAclIT.stockCalls().forEach(call -> get(call.apply(backend.inventories())));
      assertThat(get(backend.inventories().names(10))).containsExactly("x");
    }
  }

  private static boolean open(Sluice sluice, String latch) {
    try {
      return sluice.latch(latch).await(AGES);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static QueueRequest turn(long ticket, long cost) {
    return new QueueRequest("q", "x", "client", ticket, cost, 100_000, 10, 10_000_000);
  }

  private static void assertFromStore(Decision decision) {
    assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
  }

  @Test
  void theDocumentedRightsEndAtOurKeys() throws Exception {
    user(documentedRules());
    server.call("SET", "other", "1");
    RedisClient client = RedisClient.create(uri());
    try (var connection = client.connect()) {
      var commands = connection.sync();
      assertRefused(() -> commands.get("other"));
      assertRefused(() -> commands.del("other"));
      assertRefused(() -> commands.flushall());
      assertRefused(() -> commands.keys("*"));
      assertRefused(() -> commands.info());
      assertRefused(() -> commands.configGet("*"));
      assertRefused(() -> commands.scriptFlush());
      assertRefused(() -> commands.publish("other", "x"));
      String script = "return redis.call('GET', KEYS[1])";
      assertRefused(() -> commands.eval(script, ScriptOutputType.VALUE, "other"));
    } finally {
      client.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call).hasMessageContaining("NOPERM");
  }

  @Test
  void withoutARightToChannelsPollsHandOver() throws Exception {
    user(documentedRules().stream().filter(rule -> !rule.startsWith("&")).toList());
    try (RedisBackend backend = OpenedRedis.connect(uri(), SETTINGS)) {
      // a connection that broke is made again, and its refusal comes then
      await()
          .atMost(AGES)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> get(backend.locks().listen("a", message -> {})))
                      .cause()
                      .isInstanceOf(BackendException.class)
                      .hasMessageStartingWith(backend.describe() + " refused 'listen': NOPERM"));
    }
    try (Sluice one = connect();
        Sluice two = connect()) {
      assertHandsOver(one, two);
    }
  }

  @Test
  void aMessageThatIsRefusedLeavesTheStateWhole() {
    user(documentedRules().stream().filter(rule -> !rule.startsWith("&")).toList());
    try (RedisBackend backend = OpenedRedis.connect(uri(), SETTINGS)) {
      GrantReply.Granted first = (GrantReply.Granted) get(backend.locks().acquire(request("a")));
      assertThat(get(backend.locks().acquire(request("b")))).isInstanceOf(GrantReply.Queued.class);
      assertThat(get(backend.locks().release(new GrantAttempt.Id("y", "a", 1), 0))).isTrue();
      assertThat(get(backend.locks().inspect("y")).asLock().holder().orElseThrow().client())
          .isEqualTo("b");
      GrantReply.Granted next = (GrantReply.Granted) get(backend.locks().acquire(request("b")));
      assertThat(next.token()).isGreaterThan(first.token());
      assertThat(server.call("EXISTS", "sl:{y}:queue", "sl:{y}:tickets")).isEqualTo(0L);
    }
  }

  private void assertHandsOver(Sluice one, Sluice two) throws Exception {
    LockOptions renewing = LockOptions.renewing(Duration.ofSeconds(10));
    Lease lease = one.lock("x", renewing).acquire(AGES);
    CompletableFuture<Lease> waiting =
        two.lock("x", renewing).async().acquire(AGES).toCompletableFuture();
    await().atMost(AGES).until(() -> one.inspect().lock("x").waiters().size() == 1);
    lease.close();
    try (Lease next = waiting.get(30, TimeUnit.SECONDS)) {
      assertThat(next.token()).isGreaterThan(lease.token());
      next.checkHeld();
    }
    assertThat(one.inspect().lock("x").waiters()).isEmpty();
  }

  /** The rules as people copy them. */
  public static List<String> documentedRules() {
    try (Stream<String> lines = Files.lines(SourceTree.path("docs/operations.md"))) {
      String rules =
          String.join(
              " ",
              lines
                  .dropWhile(line -> !line.startsWith("ACL SETUSER sluice"))
                  .takeWhile(line -> !line.startsWith("```"))
                  .toList());
      return List.of(
          rules.replace("ACL SETUSER sluice", "").replace("\\", " ").trim().split("\\s+"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void user(List<String> rules) {
    assertThat(rules).contains("-@all", "+evalsha");
    String[] call =
        Stream.concat(Stream.of("ACL", "SETUSER", "sluice"), rules.stream()).toArray(String[]::new);
    assertThat(server.call(call)).isEqualTo("OK");
  }

  /** With patience: a server that gets no processor for two seconds has refused nothing. */
  private Sluice connect() {
    return Sluice.builder().uri(uri()).requestTimeout(AGES).build();
  }

  private String uri() {
    return "redis://sluice:secret@127.0.0.1:" + server.port();
  }

  static GrantRequest request(String client) {
    return new GrantRequest("y", client, 1, 10_000_000, 1, true);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
