package dev.sluice.redis;

import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.testkit.guard.Guards;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Guards live beside their data, on whichever node that is. */
class ClusterGuardContractIT implements Guards {
  private final RedisClusterClient client;
  private final RedisGuard guard;
  private final String register = "register/" + UUID.randomUUID();

  ClusterGuardContractIT() {
    ClusterStore.cluster().flush();
    client = RedisClusterClient.create(ClusterStore.cluster().masters().get(0).uri());
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
    String number = RedisGuard.keyOf(register, "n");
    return new Register() {
      @Override
      public long read(FencingToken token) {
        String found = guard.section(register, token).get(number);
        return found == null ? 0 : Long.parseLong(found);
      }

      @Override
      public void write(FencingToken token, long value) {
        guard.section(register, token).set(number, Long.toString(value));
      }
    };
  }
}
