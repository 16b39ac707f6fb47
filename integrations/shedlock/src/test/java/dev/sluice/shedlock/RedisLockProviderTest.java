package dev.sluice.shedlock;

import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.RedisServer;
import org.junit.jupiter.api.BeforeEach;

@EachRedis
class RedisLockProviderTest extends ProviderBehaviour {
  private final RedisServer server;

  RedisLockProviderTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void empty() {
    server.call("FLUSHALL");
  }

  @Override
  String uri() {
    return server.uri();
  }
}
