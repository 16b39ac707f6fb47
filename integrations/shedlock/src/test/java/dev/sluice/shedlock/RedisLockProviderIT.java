package dev.sluice.shedlock;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import org.junit.jupiter.api.BeforeEach;

@EachRedis
class RedisLockProviderIT extends ProviderBehaviour {
  private final RedisServer server;

  RedisLockProviderIT(RedisServer server) {
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
