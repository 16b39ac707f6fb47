package dev.sluice.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@EachRedis
class RedisServerIT {

  @Test
  void runsTheProgramItWasGiven(RedisServer server, RedisBinary binary) {
    assertThat(String.valueOf(server.call("INFO", "server")))
        .contains("redis_version:" + binary.version())
        .contains("tcp_port:" + server.port());
  }

  @Test
  void losesEverythingOnlyWhenTold(RedisBinary binary) {
    try (RedisServer server =
        RedisServer.start(binary, "--appendonly", "yes", "--appendfsync", "always")) {
      server.call("SET", "a", "1");
      server.kill();
      assertThatThrownBy(() -> server.call("PING")).isInstanceOf(UncheckedIOException.class);
      server.restart();
      assertThat(server.call("GET", "a")).isEqualTo("1");
      server.restartEmpty();
      assertThat(server.call("GET", "a")).isNull();
    }
  }

  @Test
  void carriesOutAfterAPauseWhatWasSentDuringIt(RedisBinary binary) throws Exception {
    try (RedisServer server = RedisServer.start(binary)) {
      server.pause();
      CompletableFuture<Object> reply =
          CompletableFuture.supplyAsync(() -> server.call("INCR", "a"));
      assertThatThrownBy(() -> reply.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(java.util.concurrent.TimeoutException.class);
      server.resume();
      assertThat(reply.get(1, TimeUnit.MINUTES)).isEqualTo(1L);
    }
  }

  @Test
  void leavesNoProcessAndNoFolder(RedisBinary binary) {
    RedisServer server = RedisServer.start(binary);
    ProcessHandle process = server.process();
    server.close();
    server.close();
    assertThat(process.isAlive()).isFalse();
    assertThat(server.folder()).doesNotExist();
  }

  @Test
  void saysWhyAServerDidNotStart(RedisBinary binary) {
    assertThatThrownBy(() -> RedisServer.start(binary, "--no-such-setting", "1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no-such-setting");
  }
}
