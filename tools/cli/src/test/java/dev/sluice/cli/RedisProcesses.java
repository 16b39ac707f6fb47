package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.lock.LockInfo;
import dev.sluice.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Processes of the command line, and one Redis server. */
abstract class RedisProcesses {
  static final Duration SOON = Duration.ofMinutes(3);

  /** Holds the lock until a file named {@code go} appears. */
  private static final String UNTIL_TOLD =
      "echo held $SLUICE_TOKEN; while [ ! -e \"$0/go\" ]; do sleep 0.05; done";

  @TempDir Path folder;
  RedisServer server;
  final List<SluiceProcess> started = new ArrayList<>();

  @BeforeEach
  void startServer() {
    server = RedisServer.start();
  }

  @AfterEach
  void endAll() {
    started.forEach(SluiceProcess::close);
    server.close();
  }

  SluiceProcess sluice(String... args) {
    SluiceProcess process = SluiceProcess.start(server.uri(), args);
    started.add(process);
    return process;
  }

  SluiceProcess holder(String name, String... options) {
    List<String> args = new ArrayList<>(List.of("lock", name));
    args.addAll(List.of(options));
    args.addAll(List.of("--", "sh", "-c", UNTIL_TOLD, folder.toString()));
    SluiceProcess process = sluice(args.toArray(String[]::new));
    awaitOutput(process, "held");
    return process;
  }

  static void awaitOutput(SluiceProcess sluice, String text) {
    await().atMost(SOON).until(() -> sluice.out().contains(text) || !sluice.isAlive());
    assertThat(sluice.out()).as(sluice.err()).contains(text);
  }

  static void awaitError(SluiceProcess sluice, String text) {
    await().atMost(SOON).until(() -> sluice.err().contains(text) || !sluice.isAlive());
    assertThat(sluice.err()).contains(text);
  }

  LockInfo info(String name) {
    try (Sluice observer = Sluice.connect(server.uri())) {
      return observer.inspect().lock(name);
    }
  }

  void awaitWaiter(String name) {
    await().atMost(SOON).until(() -> info(name).waiters().size() == 1);
  }
}
