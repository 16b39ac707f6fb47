package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.Sluice;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.state.LatchState;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.latch.Latches;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Redis, on each server of this machine: count-down latches. */
@EachRedis
class RedisLatchContractIT extends ContractFixture implements Latches {
  private final RedisServer server;

  RedisLatchContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }

  @Test
  void storedAsDocumentedAndBoundToGo() throws Exception {
    Sluice client = client();
    DistributedLatch latch = client.latch("x{y}");
    latch.trySetCount(3, Duration.ofMinutes(2));
    latch.countDown();
    Running<Boolean> waiting = start(() -> latch.await(AGES));
    until("it waits", () -> server.call("EXISTS", "sl:{x%7By%7D}:latchers").equals(1L));
    assertThat(String.valueOf(server.call("HGET", "sl:{x%7By%7D}:latch", "-")))
        .matches("2 \\d{16} 0 120000000 \\d{16} " + client.clientId() + " 1");
    assertThat(String.valueOf(server.call("HGET", "sl:{x%7By%7D}:latch", client.clientId())))
        .matches("2 \\d{16}");
    assertThat((long) server.call("PTTL", "sl:{x%7By%7D}:latch")).isBetween(170_000L, 180_000L);
    assertThat((long) server.call("PTTL", "sl:{x%7By%7D}:latchers")).isBetween(1L, 6_000L);
    latch.countDown();
    latch.countDown();
    assertThat(waiting.result()).isTrue();
    assertThat(server.call("EXISTS", "sl:{x%7By%7D}:latchers")).isEqualTo(0L);
    long longest = 2 * LatchState.RETENTION_MICROS / 1000;
    assertThat((long) server.call("PTTL", "sl:{x%7By%7D}:latch")).isBetween(1L, longest);
  }

  @Test
  void foreignDataIsReportedAndLeftAlone() {
    DistributedLatch latch = client().latch("f");
    for (String[] foreign :
        new String[][] {
          {"SET", "sl:{f}:latch", "text"},
          {"HSET", "sl:{f}:latch", "field", "text"},
          {"HSET", "sl:{f}:latch", "-", "1 2 3"}
        }) {
      server.call("DEL", "sl:{f}:latch");
      server.call(foreign);
      assertThatThrownBy(latch::countDown)
          .isInstanceOf(ForeignDataException.class)
          .hasMessageContaining("sl:{f}:latch");
      assertThatThrownBy(() -> latch.trySetCount(1)).isInstanceOf(ForeignDataException.class);
      assertThatThrownBy(latch::info).isInstanceOf(ForeignDataException.class);
      assertThatThrownBy(() -> latch.await(AGES)).isInstanceOf(ForeignDataException.class);
      assertThat(server.call("PTTL", "sl:{f}:latch")).as("untouched").isEqualTo(-1L);
    }
    server.call("DEL", "sl:{f}:latch");
    server.call("SET", "sl:{f}:latchers", "text");
    assertThatThrownBy(() -> latch.trySetCount(1))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("sl:{f}:latchers");
    assertThat(server.call("EXISTS", "sl:{f}:latch")).isEqualTo(0L);
  }
}
