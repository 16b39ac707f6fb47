package dev.sluice.redis;

import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.RedisBinary;
import dev.sluice.testkit.RedisServer;
import dev.sluice.testkit.StoreUnderTest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;

/** A quorum of three keeps every promise, but for the order of waiters of several processes. */
@EachRedis
class QuorumLockContractTest extends LockContract {
  /** Shared by the tests on one program. */
  private static List<RedisServer> servers = List.of();

  QuorumLockContractTest(RedisBinary binary) {
    if (servers.isEmpty()) {
      servers = Stream.generate(() -> RedisServer.start(binary)).limit(3).toList();
    }
  }

  @AfterAll
  static void stopServers() {
    servers.forEach(RedisServer::close);
    servers = List.of();
  }

  @Override
  protected StoreUnderTest openStore() {
    return new QuorumStore(servers);
  }
}
