package dev.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Millions of keys are copies of one. If that one expires meanwhile, the rest are missing. */
class ServerTest {
  private static final String TEMPLATE = "{limiter}:99999999:x";
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private Server server;
  private RedisClient client;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void start() {
    server = Server.start(1);
    client = RedisClient.create(server.uri());
    redis = client.connect().sync();
  }

  @AfterEach
  void stop() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
    server.close();
  }

  @Test
  void theKeyThatIsCopiedOutlivesTheCopying() {
    redis.psetex(TEMPLATE, MINUTE.toMillis(), "value");

    server.copy(TEMPLATE, 0, 1000, HOUR);

    assertThat(server.ttlMillis(TEMPLATE)).isGreaterThan(MINUTE.toMillis());
    assertThat(server.ttlMillis("{limiter}:00000999:x")).isGreaterThan(MINUTE.toMillis());
    assertThat(server.keyCount()).isEqualTo(1001);
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
    assertThat(server.ttlMillis("{limiter}:00000003:x")).isGreaterThan(MINUTE.toMillis());
    assertThat(server.keyCount()).isEqualTo(21);
  }
}
