package dev.sluice.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.run.Bench;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Millions of keys are copies of one. If that one expires meanwhile, the rest are missing. */
class CrowdServerIT {
  private static final String TEMPLATE = "{limiter}:" + WorkerClients.TEMPLATE + ":x";
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private Bench bench;
  private CrowdServer server;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void start() throws IOException {
    bench = Bench.start(List.of());
    server = CrowdServer.of(bench);
    redis = bench.server().redis();
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  @Test
  void theKeyThatIsCopiedOutlivesTheCopying() {
    redis.psetex(TEMPLATE, MINUTE.toMillis(), "value");

    server.copy(TEMPLATE, 0, 1000, HOUR);

    assertThat(redis.pttl(TEMPLATE)).isGreaterThan(MINUTE.toMillis());
    assertThat(redis.pttl("{limiter}:00000999:x")).isGreaterThan(MINUTE.toMillis());
    assertThat(redis.dbsize()).isEqualTo(1001);
  }

  @Test
  void aKeyThatIsGoneIsNotCopiedInSilence() {
    assertThatThrownBy(() -> server.copy(TEMPLATE, 0, 1000, HOUR))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(TEMPLATE);
  }

  @Test
  void aNameThatWasUsedSinceTheLastCopyIsWrittenAgain() {
    redis.psetex(TEMPLATE, MINUTE.toMillis(), "value");
    server.copy(TEMPLATE, 0, 10, HOUR);
    redis.psetex("{limiter}:00000003:x", MINUTE.toMillis(), "used");

    server.copy(TEMPLATE, 0, 20, HOUR);

    assertThat(redis.get("{limiter}:00000003:x")).isEqualTo("value");
    assertThat(redis.pttl("{limiter}:00000003:x")).isGreaterThan(MINUTE.toMillis());
    assertThat(redis.dbsize()).isEqualTo(21);
  }
}
