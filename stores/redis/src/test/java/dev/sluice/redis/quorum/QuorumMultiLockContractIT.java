package dev.sluice.redis.quorum;

import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.MultiLocks;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A quorum of three: several locks as one. */
class QuorumMultiLockContractIT extends ContractFixture implements MultiLocks {
  /** Shared by the tests. */
  private static List<RedisServer> servers = List.of();

  @BeforeAll
  static void startServers() {
    servers = Stream.generate(RedisServer::start).limit(3).toList();
  }

  @AfterAll
  static void stopServers() {
    servers.forEach(RedisServer::close);
  }

  @Override
  protected StoreUnderTest openStore() {
    return new QuorumStore(servers);
  }
}
