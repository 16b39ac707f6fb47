package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.Certificates;
import dev.sluice.servers.JavaCommand;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that accept TLS only and check the client's certificate. Each runs in its own JVM. */
class ZooKeeperTlsIT {
  @TempDir static Path folder;
  private static final List<Process> servers = new ArrayList<>();
  private static int port;
  private static int portOfLocalhostOnly;

  @BeforeAll
  static void start() throws Exception {
    Certificates ours =
        new Certificates(folder, "ours")
            .sign("server", "dns:localhost,ip:127.0.0.1")
            .sign("localhost", "dns:localhost")
            .sign("app", "dns:app");
    new Certificates(folder, "others");
    for (String who : new String[] {"server", "localhost", "app"}) {
      Files.writeString(
          folder.resolve(who + ".pem"),
          Files.readString(ours.certificate(who)) + Files.readString(ours.key(who)));
    }
    Files.copy(ours.authority(), folder.resolve("ca.pem"));
    Files.copy(folder.resolve("others.crt"), folder.resolve("others.pem"));
    port = start("server");
    portOfLocalhostOnly = start("localhost");
  }

  private static int start(String certificate) throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    Path settings = folder.resolve(certificate + ".cfg");
    Files.writeString(
        settings,
        """
        tickTime=500
        dataDir=%1$s/data-%3$s
        secureClientPort=%2$d
        secureClientPortAddress=127.0.0.1
        serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
        ssl.keyStore.location=%1$s/%3$s.pem
        ssl.keyStore.type=PEM
        ssl.trustStore.location=%1$s/ca.pem
        ssl.trustStore.type=PEM
        ssl.hostnameVerification=false
        admin.enableServer=false
        """
            .formatted(folder, free, certificate));
    servers.add(
        new ProcessBuilder(
                JavaCommand.of(
                    "-Xmx128m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "org.apache.zookeeper.server.ZooKeeperServerMain",
                    settings.toString()))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(certificate + ".log").toFile())
            .start());
    return free;
  }

  @AfterAll
  static void stop() throws Exception {
    for (Process server : servers) {
      server.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    }
  }

  private static ZooKeeperBackend connect(String settings, Duration patience) {
    return connect("localhost:" + port, settings, patience);
  }

  private static ZooKeeperBackend connect(String server, String settings, Duration patience) {
    return ZooKeeperBackend.builder()
        .uri("zookeeper://" + server + "/tls?tls=true" + settings)
        .requestTimeout(patience)
        .build();
  }

  private static String file(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void speaksTlsToWhomItTrusts() {
    String ours = "&ca=" + file("ca.pem") + "&identity=" + file("app.pem");
    try (ZooKeeperBackend backend = connect(ours, Duration.ofMinutes(2)); // it may be starting
        Sluice sluice = Sluice.builder().backend(backend).build()) {
      assertThat(backend.describe()).endsWith(" with TLS");
      assertThat(sluice.lock("seat", LockOptions.defaults()).tryAcquire()).isPresent();
    }
    Duration soon = Duration.ofSeconds(3);
    String foreign = "&ca=" + file("others.pem") + "&identity=" + file("app.pem");
    assertThatThrownBy(() -> connect(foreign, soon)).isInstanceOf(BackendException.class);
    String unknown = "&ca=" + file("ca.pem");
    assertThatThrownBy(() -> connect(unknown, soon)).isInstanceOf(BackendException.class);
  }

  /** The address is resolvable to localhost, which the certificate names: that must not count. */
  @Test
  void certificateMustNameTheHostOfTheUri() {
    String ours = "&ca=" + file("ca.pem") + "&identity=" + file("app.pem");
    Duration mayBeStarting = Duration.ofMinutes(2);
    connect("localhost:" + portOfLocalhostOnly, ours, mayBeStarting).close();
    connect("127.0.0.1:" + port, ours, mayBeStarting).close();
    String otherHost = "127.0.0.1:" + portOfLocalhostOnly;
    assertThatThrownBy(() -> connect(otherHost, ours, Duration.ofSeconds(5)))
        .isInstanceOf(BackendException.class);
  }
}
