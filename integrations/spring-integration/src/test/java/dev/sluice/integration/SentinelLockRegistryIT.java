package dev.sluice.integration;

import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisSentinel;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

@Tag("full")
class SentinelLockRegistryIT extends LockRegistryBehaviour {
  private static RedisSentinel redis;

  @BeforeAll
  static void startServers() {
    redis = RedisSentinel.start(RedisBinary.any(), 1, Duration.ofMinutes(5));
  }

  @AfterAll
  static void stopServers() {
    redis.close();
  }

  @BeforeEach
  void empty() {
    redis.master().call("FLUSHALL");
  }

  @Override
  String uri() {
    return redis.uri();
  }
}
