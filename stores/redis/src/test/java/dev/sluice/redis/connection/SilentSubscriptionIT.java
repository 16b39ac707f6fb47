package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.QuorumOptions;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.RedisQuorum;
import dev.sluice.redis.quorum.QuorumStore;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The subscription connection of a process dies, and neither side is told: what goes over it is
 * dropped. Its keeper of a sticky lock does not hear that another process waits, and would renew
 * for minutes before it asks the store.
 */
@EachRedis
class SilentSubscriptionIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final Duration TTL = Duration.ofMinutes(10);
  private static final LockOptions STICKY = LockOptions.renewing(TTL).sticky(TTL);

  private final RedisBinary binary;
  private final List<AutoCloseable> open = new ArrayList<>();

  SilentSubscriptionIT(RedisBinary binary) {
    this.binary = binary;
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  private RedisServer start() {
    return closing(RedisServer.start(binary));
  }

  private TcpProxy proxy(RedisServer server) {
    return closing(new TcpProxy(server.port(), "SUBSCRIBE"));
  }

  private static String uri(TcpProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }

  @AfterEach
  void stop() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  @Test
  void aStickyLockGoesOver() throws Exception {
    RedisServer server = start();
    TcpProxy proxy = proxy(server);
    Sluice keeper = closing(Sluice.connect(uri(proxy)));
    assertGoesOver(keeper, closing(Sluice.connect(server.uri())), List.of(proxy));
  }

  @Test
  void aStickyLockGoesOverOnAClientOfTheApplicationThatSpeaksResp2() throws Exception {
    RedisServer server = start();
    TcpProxy proxy = proxy(server);
    RedisClient client = RedisClient.create();
    closing(() -> client.shutdown(0, 2, TimeUnit.SECONDS));
    client.setOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
    RedisBackend backend =
        OpenedRedis.builder(new BackendSettings(Duration.ofSeconds(2)))
            .client(client, RedisURI.create(uri(proxy)))
            .build();
    Sluice keeper = closing(Sluice.builder().backend(closing(backend)).build());
    assertGoesOver(keeper, closing(Sluice.connect(server.uri())), List.of(proxy));
  }

  @Test
  void aStickyLockOfAQuorumGoesOver() throws Exception {
    List<RedisServer> servers = List.of(start(), start(), start());
    List<TcpProxy> proxies = servers.stream().map(this::proxy).toList();
    QuorumOptions settings =
        QuorumOptions.of(new BackendSettings(Duration.ofSeconds(6))).maxTtl(TTL).fresh();
    RedisQuorum through =
        closing(
            RedisQuorum.connect(
                proxies.stream().map(proxy -> RedisURI.create(uri(proxy))).toList(), settings));
    RedisQuorum direct = closing(RedisQuorum.connect(QuorumStore.uris(servers), settings));
    assertGoesOver(
        closing(Sluice.builder().backend(through).build()),
        closing(Sluice.builder().backend(direct).build()),
        proxies);
  }

  @Test
  void aLockThatThreadsHandOnGoesOver() throws Exception {
    RedisServer server = start();
    TcpProxy proxy = proxy(server);
    Sluice keeper = closing(Sluice.connect(uri(proxy)));
    Sluice other = closing(Sluice.connect(server.uri()));
    LockOptions options = LockOptions.renewing(TTL);
    AtomicInteger turns = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) { // a block of tokens lasts for longer than AGES
      threads.add(
          CompletableFuture.runAsync(() -> takeTurns(keeper.lock("x", options), turns, over)));
    }
    try {
      await().atMost(AGES).until(() -> turns.get() > 5 && proxy.marked() > 0);
      proxy.swallow();
      try (Lease lease = other.lock("x", options).acquire(AGES)) {
        assertThat(lease.remaining()).isPositive();
      }
    } finally {
      over.set(true);
    }
    for (CompletableFuture<Void> thread : threads) {
      thread.get(30, TimeUnit.SECONDS);
    }
  }

  private static void takeTurns(DistributedLock lock, AtomicInteger turns, AtomicBoolean over) {
    try {
      while (!over.get()) {
        try (Lease lease = lock.acquire(AGES)) {
          turns.incrementAndGet();
          Thread.sleep(200);
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertGoesOver(Sluice keeper, Sluice other, List<TcpProxy> proxies)
      throws InterruptedException {
    keeper.lock("x", STICKY).acquire(AGES).close();
    await().atMost(AGES).until(() -> proxies.stream().allMatch(proxy -> proxy.marked() > 0));
    proxies.forEach(TcpProxy::swallow);
    try (Lease lease = other.lock("x", STICKY).acquire(AGES)) {
      assertThat(lease.remaining()).isPositive();
    }
  }
}
