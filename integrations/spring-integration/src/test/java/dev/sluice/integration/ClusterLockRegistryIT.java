package dev.sluice.integration;

import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

@Tag("full")
class ClusterLockRegistryIT extends LockRegistryBehaviour {
  private static RedisCluster redis;

  @BeforeAll
  static void startServers() {
    redis = RedisCluster.start(RedisBinary.any(), 3, 0);
  }

  @AfterAll
  static void stopServers() {
    redis.close();
  }

  @BeforeEach
  void empty() {
    redis.flush();
  }

  @Override
  String uri() {
    return redis.uri();
  }
}
