package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that answer, and refuse: their word is told, nothing hangs, and nothing stays behind. */
@EachRedis
class RefusingServerIT {
  private static final Duration AGES = Duration.ofSeconds(30);

  private final RedisServer server;

  RefusingServerIT(RedisBinary binary) {
    this.server = RedisServer.start(binary);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** A Sentinel that had not heard of a fail-over may have led there: it is asked once more. */
  @Test
  void aServerThatBecameAReplicaGrantsNothingAndIsLeft() throws Exception {
    try (Sluice sluice = Sluice.connect(server.uri())) {
      long before = spentToken(sluice);
      Set<String> connections = connections();
      assertThat(connections).isNotEmpty();
      server.call("REPLICAOF", "127.0.0.1", "1");
      assertThatThrownBy(() -> sluice.lock("x").tryAcquire())
          .isInstanceOf(BackendException.class)
          .hasStackTraceContaining("READONLY");
      await().atMost(AGES).until(() -> Collections.disjoint(connections(), connections));
      server.call("REPLICAOF", "NO", "ONE");
      assertThat(spentToken(sluice)).isGreaterThan(before);
    }
  }

  /** Those that sent a script last. */
  private Set<String> connections() {
    return answer("CLIENT", "LIST")
        .lines()
        .filter(line -> line.contains(" cmd=eval"))
        .map(line -> line.split(" ")[0])
        .collect(Collectors.toSet());
  }

  @Test
  void aServerThatIsBusyWithAScriptGrantsNothingUntilItIsFree() throws Exception {
    server.call("CONFIG", "SET", "lua-time-limit", "1");
    try (Sluice sluice = Sluice.connect(server.uri())) {
      long before = spentToken(sluice);
      CompletableFuture<String> busy =
          CompletableFuture.supplyAsync(() -> answer("EVAL", "while true do end", "0"));
      await().atMost(AGES).until(() -> answer("PING").startsWith("BUSY"));
      assertThatThrownBy(() -> sluice.lock("x").tryAcquire())
          .isInstanceOf(BackendException.class)
          .hasStackTraceContaining("BUSY");
      server.call("SCRIPT", "KILL");
      assertThat(busy).succeedsWithin(AGES);
      assertThat(spentToken(sluice)).isGreaterThan(before);
    }
  }

  /**
   * As a JVM that has just started, and loads the driver while the time of its first try passes.
   */
  @Test
  void aFirstTryThatTimesOutIsRepeated() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2); // each copies one way
    try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> relayed =
          CompletableFuture.runAsync(
              () -> {
                try (Socket ignored = door.accept();
                    Socket client = door.accept();
                    Socket redis = new Socket("127.0.0.1", server.port())) {
                  CompletableFuture<Void> answers =
                      CompletableFuture.runAsync(() -> copy(redis, client), threads);
                  copy(client, redis);
                  answers.join();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              threads);
      try (Sluice sluice =
          Sluice.builder()
              .uri("redis://127.0.0.1:" + door.getLocalPort())
              .requestTimeout(Duration.ofSeconds(3))
              .build()) {
        assertThat(sluice.lock("x").tryAcquire()).isPresent();
      }
      assertThat(relayed).succeedsWithin(AGES);
    } finally {
      threads.shutdown();
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long spentToken(Sluice sluice) throws InterruptedException {
    try (Lease lease = sluice.lock("x").acquire(AGES)) {
      return lease.token();
    }
  }

  /** An answer, or the text of an error. */
  private String answer(String... words) {
    try {
      return String.valueOf(server.call(words));
    } catch (IllegalStateException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
