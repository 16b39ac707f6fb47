package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.RedisBinary;
import dev.sluice.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sentinel names another master; the client follows, and tokens still grow. */
@EachRedis
class SentinelTest {
  private static final Duration AGES = Duration.ofSeconds(60);

  private final RedisBinary binary;

  SentinelTest(RedisBinary binary) {
    this.binary = binary;
  }

  @Test
  void tokensGrowAcrossAFailover() throws Exception {
    try (RedisServer master = RedisServer.start(binary);
        RedisServer replica = RedisServer.start(binary);
        RedisServer sentinel = RedisServer.start(binary, "--sentinel")) {
      replica.call("REPLICAOF", "127.0.0.1", "" + master.port());
      await().atMost(AGES).until(() -> info(replica, "replication").contains("link_status:up"));
      sentinel.call("SENTINEL", "MONITOR", "main", "127.0.0.1", "" + master.port(), "1");
      sentinel.call("SENTINEL", "SET", "main", "down-after-milliseconds", "500");
      sentinel.call("SENTINEL", "SET", "main", "failover-timeout", "5000");
      await().atMost(AGES).until(() -> info(sentinel, "sentinel").contains("slaves=1"));

      String uri = "redis-sentinel://127.0.0.1:" + sentinel.port() + "/#main";
      try (Sluice sluice = Sluice.connect(uri)) {
        assertThat(sluice.describe())
            .isEqualTo("Redis master 'main' by Sentinel at 127.0.0.1:" + sentinel.port());
        long before;
        try (Lease lease = sluice.lock("x").acquire(AGES)) {
          before = lease.token();
        }
        master.kill();
        try (Lease lease = sluice.lock("x").acquire(AGES)) {
          assertThat(lease.token()).isGreaterThan(before);
        }
        assertThat(info(replica, "replication")).contains("role:master");
      }
    }
  }

  private static String info(RedisServer server, String section) {
    return String.valueOf(server.call("INFO", section));
  }
}
