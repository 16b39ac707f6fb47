package dev.sluice.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import dev.sluice.BackendException;
import dev.sluice.redis.ShiftedClock;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.SingleRoute;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three real servers, of which the first one's wall clock steps to and fro between two grants, the
 * expiries of its keys included. The third one did not hear of the first grant, and the client of
 * the second one has a clock that is two minutes behind. Needs a C compiler.
 */
@EachRedis
@Timeout(120)
class QuorumClockIT {
  private static final long TTL = 10_000_000;
  private static final long SKEW = 120_000_000;
  private static final Duration STEP = Duration.ofSeconds(400);

  private final RedisBinary binary;
  private final QuorumScripts scripts = new QuorumScripts(KeySpace.PLAIN, UnaryOperator.identity());
  private final RedisClient client = RedisClient.create();
  private final List<RedisServer> servers = new ArrayList<>();
  private final List<QuorumPeer> peers = new ArrayList<>();
  private ShiftedClock clock;

  QuorumClockIT(RedisBinary binary) {
    this.binary = binary;
  }

  @BeforeEach
  void start() {
    clock = new ShiftedClock(binary);
    servers.add(RedisServer.start(clock.program()));
    servers.add(RedisServer.start(binary));
    servers.add(RedisServer.start(binary));
    servers.forEach(server -> peers.add(new Peer(link(server))));
  }

  @AfterEach
  void stop() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
    servers.forEach(RedisServer::close);
  }

  /** A member of a quorum that was founded long ago. */
  private QuorumLink link(RedisServer server) {
    String run = server.call("INFO", "server").toString().replaceAll("(?s).*run_id:(\\w+).*", "$1");
    SingleRoute route =
        new SingleRoute(
            "Redis",
            client.connect(new StringCodec(StandardCharsets.UTF_8), RedisURI.create(server.uri())),
            true,
            Duration.ofSeconds(20));
    QuorumLink link = new QuorumLink(route, new ScriptRunner("Redis", route), scripts, run);
    String id = "x".repeat(22);
    get(link.requestJoin(id, false));
    assertThat(get(link.join(id, 1, TTL))).isTrue();
    return link;
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  private record Peer(QuorumLink link) implements QuorumPeer {
    @Override
    public String describe() {
      return "node";
    }

    @Override
    public boolean isSlow() {
      return false;
    }

    @Override
    public CompletionStage<Vote> acquire(GrantRequest request, long token, int block) {
      return link.acquire(request, token, block);
    }

    @Override
    public CompletionStage<Vote> raise(GrantRequest request, long token, int block) {
      return link.raise(request.name(), request.client(), request.attempt(), token, block);
    }

    @Override
    public CompletionStage<Vote> renew(String name, String client, long attempt, long ttl) {
      return link.renew(name, client, attempt, ttl);
    }

    @Override
    public CompletionStage<Vote> release(String name, String client, long attempt, boolean waits) {
      return link.release(name, client, attempt, waits);
    }

    @Override
    public CompletionStage<NodeView> inspect(String name) {
      return link.inspect(name);
    }
  }

  /** A node that is out of reach. */
  private static final class Away implements QuorumPeer {
    private static <T> CompletionStage<T> failed() {
      return CompletableFuture.failedFuture(new BackendException("away", null));
    }

    @Override
    public String describe() {
      return "away";
    }

    @Override
    public boolean isSlow() {
      return false;
    }

    @Override
    public CompletionStage<Vote> acquire(GrantRequest request, long token, int block) {
      return failed();
    }

    @Override
    public CompletionStage<Vote> raise(GrantRequest request, long token, int block) {
      return failed();
    }

    @Override
    public CompletionStage<Vote> renew(String name, String client, long attempt, long ttl) {
      return failed();
    }

    @Override
    public CompletionStage<Vote> release(String name, String client, long attempt, boolean waits) {
      return failed();
    }

    @Override
    public CompletionStage<NodeView> inspect(String name) {
      return failed();
    }
  }

  /** The token of a grant that was given back again. */
  private long grant(String name, String client, long clockAhead, QuorumPeer third) {
    QuorumLocks locks =
        new QuorumLocks(
            "quorum",
            List.of(peers.get(0), peers.get(1), third),
            (nanos, task) -> {},
            Duration.ofSeconds(20),
            () -> System.currentTimeMillis() * 1000 + clockAhead);
    GrantReply reply = get(locks.acquire(new GrantRequest(name, client, 1, TTL, 1, false)));
    assertThat(reply).isInstanceOf(GrantReply.Granted.class);
    get(locks.release(new GrantAttempt.Id(name, client, 1)));
    return ((GrantReply.Granted) reply).token();
  }

  private void step(Duration ahead) {
    clock.set(ahead);
    assertThat(((List<?>) servers.get(0).call("TIME")).get(0).toString())
        .asLong()
        .isCloseTo(System.currentTimeMillis() / 1000 + ahead.toSeconds(), offset(5L));
  }

  private void assertVoteIsGone() {
    assertThat(servers.get(0).call("GET", "sl:{x}:vote")).isNull();
    assertThat(servers.get(1).call("GET", "sl:{x}:vote")).isNotNull();
    assertThat(servers.get(2).call("GET", "sl:{x}:vote")).isNull();
  }

  @Test
  void tokensGrowThoughAVoteExpiredWhileTheClockWasAhead() {
    long first = grant("x", "fast", SKEW, new Away());
    step(STEP);
    assertVoteIsGone();
    step(Duration.ZERO);
    assertThat(grant("x", "slow", 0, peers.get(2))).isGreaterThan(first);
  }

  @Test
  void tokensGrowThoughTheNodeForgotItsFencesMeanwhile() {
    long first = grant("x", "fast", SKEW, new Away());
    for (int i = 1; i <= 3; i++) {
      step(STEP.multipliedBy(i));
      grant("y" + i, "slow", 0, peers.get(2));
    }
    assertVoteIsGone();
    assertThat(servers.get(0).call("HGET", "sl:quorum:young", "x")).isNull();
    assertThat(servers.get(0).call("HGET", "sl:quorum:old", "x")).isNull();
    step(Duration.ZERO);
    assertThat(grant("x", "slow", 0, peers.get(2))).isGreaterThan(first);
  }
}
