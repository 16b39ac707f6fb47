package dev.sluice.integration;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import org.junit.jupiter.api.BeforeEach;

@EachRedis
class RedisLockRegistryIT extends LockRegistryBehaviour {
  private final RedisServer server;

  RedisLockRegistryIT(RedisServer server) {
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
