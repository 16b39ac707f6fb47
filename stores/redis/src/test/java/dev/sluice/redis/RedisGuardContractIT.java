package dev.sluice.redis;

import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.guard.Guards;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** The contract with the check and the access in one script. */
@EachRedis
class RedisGuardContractIT implements Guards {
  private static final String NUMBER = RedisGuard.keyOf("register", "n");

  private final RedisClient client;
  private final RedisGuard guard;

  RedisGuardContractIT(RedisServer server) {
    server.call("FLUSHALL");
    client = RedisClient.create(server.uri());
    guard = RedisGuard.create(client.connect().async(), Duration.ofSeconds(30));
  }

  @AfterEach
  void disconnect() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }

  @Override
  public Guard guard() {
    return guard;
  }

  @Override
  public Register register() {
    return new Register() {
      @Override
      public long read(FencingToken token) {
        String number = guard.section("register", token).get(NUMBER);
        return number == null ? 0 : Long.parseLong(number);
      }

      @Override
      public void write(FencingToken token, long value) {
        guard.section("register", token).set(NUMBER, Long.toString(value));
      }
    };
  }
}
