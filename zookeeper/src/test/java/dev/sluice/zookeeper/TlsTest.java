package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.LockOptions;
import dev.sluice.testkit.Certificates;
import dev.sluice.testkit.JavaCommand;
import java.io.File;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that speaks TLS only, and wants to know who speaks to it; in a JVM of its own. */
class TlsTest {
  @TempDir static Path folder;
  private static Process server;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    Certificates ours =
        new Certificates(folder, "ours")
            .sign("server", "dns:localhost,ip:127.0.0.1")
            .sign("app", "dns:app");
    new Certificates(folder, "others");
    for (String who : new String[] {"server", "app"}) {
      Files.writeString(
          folder.resolve(who + ".pem"),
          Files.readString(ours.certificate(who)) + Files.readString(ours.key(who)));
    }
    Files.copy(ours.authority(), folder.resolve("ca.pem"));
    Files.copy(folder.resolve("others.crt"), folder.resolve("others.pem"));
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Files.writeString(
        folder.resolve("zoo.cfg"),
        """
        tickTime=500
        dataDir=%1$s/data
        secureClientPort=%2$d
        secureClientPortAddress=127.0.0.1
        serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
        ssl.keyStore.location=%1$s/server.pem
        ssl.keyStore.type=PEM
        ssl.trustStore.location=%1$s/ca.pem
        ssl.trustStore.type=PEM
        ssl.hostnameVerification=false
        admin.enableServer=false
        """
            .formatted(folder, port));
    server =
        new ProcessBuilder(
                JavaCommand.of(
                    "-Xmx128m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "org.apache.zookeeper.server.ZooKeeperServerMain",
                    folder.resolve("zoo.cfg").toString()))
            .redirectErrorStream(true)
            .redirectOutput(new File(folder.toFile(), "log"))
            .start();
  }

  @AfterAll
  static void stop() throws Exception {
    server.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
  }

  private static ZooKeeperBackend connect(String settings, Duration patience) {
    return ZooKeeperBackend.builder()
        .uri("zookeeper://localhost:" + port + "/tls?tls=true" + settings)
        .requestTimeout(patience)
        .build();
  }

  private static String file(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void speaksTlsToWhomItTrusts() {
    String ours = "&ca=" + file("ca.pem") + "&identity=" + file("app.pem");
    try (ZooKeeperBackend backend = connect(ours, Duration.ofSeconds(30)); // it may be starting
        Sluice sluice = Sluice.builder().backend(backend).build()) {
      assertThat(backend.describe()).endsWith(" with TLS");
      assertThat(sluice.lock("seat", LockOptions.defaults()).tryAcquire()).isPresent();
    }
    Duration soon = Duration.ofSeconds(3);
    String stranger = "&ca=" + file("others.pem") + "&identity=" + file("app.pem");
    assertThatThrownBy(() -> connect(stranger, soon)).isInstanceOf(BackendException.class);
    String unknown = "&ca=" + file("ca.pem");
    assertThatThrownBy(() -> connect(unknown, soon)).isInstanceOf(BackendException.class);
  }
}
