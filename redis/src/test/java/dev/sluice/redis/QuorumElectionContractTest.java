package dev.sluice.redis;

import dev.sluice.testkit.ElectionTermContract;
import dev.sluice.testkit.RedisServer;
import dev.sluice.testkit.StoreUnderTest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A quorum of three: one leader at a time. */
@Tag("fleet")
class QuorumElectionContractTest extends ElectionTermContract {
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

  /** Who resigns hears of it when a majority has; the last server may take a moment longer. */
  @Override
  protected void assertNothingLeft() {
    until("every server has heard of the release", () -> QuorumStore.queue(servers, NAME, 0));
    super.assertNothingLeft();
  }
}
