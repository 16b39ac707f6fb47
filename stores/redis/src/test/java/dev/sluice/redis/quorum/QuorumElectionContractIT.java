package dev.sluice.redis.quorum;

import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.LeaderElections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A quorum of three: one leader at a time. */
@Tag("full")
class QuorumElectionContractIT extends ContractFixture implements LeaderElections {
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

  @Override
  public void settle() {
    QuorumStore.settle(servers, NAME);
  }

  /** Each server has a queue of its own, so who led may lead again if it stands at once. */
  @Override
  public void holdBack(FlakyBackend line) {
    line.set(Verb.ACQUIRE, Fault.HOLDS_REQUEST);
  }
}
