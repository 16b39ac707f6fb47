package dev.sluice.redis.connection;

import static dev.sluice.redis.doctor.DoctorFixture.assertFinds;
import static dev.sluice.redis.doctor.DoctorFixture.examine;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.BackendException;
import dev.sluice.NoQuorumException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.doctor.DoctorFixture;
import dev.sluice.redis.doctor.RedisFinding;
import dev.sluice.servers.Certificates;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that speaks TLS as docs/operations.md sets it up, and those that must not be trusted.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisTlsIT {
  private static final int PORTS_TO_TRY = 5;
  private static final Duration AGES = Duration.ofSeconds(30);

  @TempDir static Path folder;
  private static Certificates ours;
  private static Certificates others;

  @BeforeAll
  static void certificates() throws Exception {
    assumeTrue(
        speaksTls(),
        "Redis with TLS: the redis-server on the PATH has none (Debian: apt-get install redis-server)");
    ours =
        new Certificates(folder, "ours")
            .sign("server", "dns:localhost,ip:127.0.0.1")
            .sign("elsewhere", "dns:redis.example")
            .sign("expired", "dns:localhost,ip:127.0.0.1", "-startdate", "-9d", "-validity", "2")
            .sign("client", "dns:client");
    others = new Certificates(folder, "others").sign("stranger", "dns:localhost,ip:127.0.0.1");
  }

  private static boolean speaksTls() {
    try (RedisServer server = RedisServer.start(RedisBinary.any())) {
      return server.call("CONFIG", "GET", "tls-port") instanceof List<?> answer
          && !answer.isEmpty();
    }
  }

  /** A server whose plain port, which the tests start and stop it by, is on the loopback alone. */
  private record TlsServer(RedisServer server, int port) implements AutoCloseable {
    String uri(String host, String parameters) {
      return "rediss://" + host + ":" + port + parameters;
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A server with the documented lines, and the paths of a certificate of ours. */
  private static TlsServer start(Certificates by, String name, String... more) throws Exception {
    for (int tries = 1; ; tries++) {
      int port = freePort();
      List<String> arguments = documented(by, name, port);
      arguments.addAll(Arrays.asList(more));
      try {
        return new TlsServer(
            DoctorFixture.good(RedisBinary.any(), arguments.toArray(String[]::new)), port);
      } catch (IllegalStateException e) {
        boolean taken = String.valueOf(e.getMessage()).contains("Address already in use");
        if (!taken || tries == PORTS_TO_TRY) {
          throw e;
        }
      }
    }
  }

  private static int tlsPort(RedisServer server) {
    List<?> answer = (List<?>) server.call("CONFIG", "GET", "tls-port");
    return Integer.parseInt(String.valueOf(answer.get(1)));
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private static List<String> documented(Certificates by, String name, int port)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    try (var lines = Files.lines(SourceTree.path("docs/operations.md"))) {
      lines
          .dropWhile(line -> !line.startsWith("tls-port "))
          .takeWhile(line -> !line.startsWith("```"))
          .map(line -> line.split(" "))
          .forEach(
              words -> {
                String value =
                    switch (words[0]) {
                      case "tls-port" -> "" + port;
                      case "tls-cert-file" -> by.certificate(name).toString();
                      case "tls-key-file" -> by.key(name).toString();
                      case "tls-ca-cert-file" -> by.authority().toString();
                      default -> words[1];
                    };
                arguments.addAll(List.of("--" + words[0], value));
              });
    }
    return arguments;
  }

  private static String trusting(Certificates authority) {
    return "?ca=" + authority.authority();
  }

  private static Sluice connect(String uri) {
    return Sluice.builder().uri(uri).requestTimeout(Duration.ofSeconds(10)).build();
  }

  private static void assertRefused(String uri, String... reasons) {
    assertThatThrownBy(() -> connect(uri).close())
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("with TLS cannot be used: ")
        .satisfies(e -> assertThat(e.getMessage()).containsAnyOf(reasons));
  }

  @Test
  void locksAndMessagesGoOverTls() throws Exception {
    try (TlsServer tls = start(ours, "server");
        Sluice one = connect(tls.uri("localhost", trusting(ours)));
        Sluice two = connect(tls.uri("127.0.0.1", trusting(ours)))) {
      assertThat(one.describe()).isEqualTo("Redis at localhost:" + tls.port() + " with TLS");
      assertHandsOver(one, two, "x");
      assertThat(examine(tls.uri("localhost", trusting(ours)))).isEmpty();
    }
  }

  private static void assertHandsOver(Sluice one, Sluice two, String name) throws Exception {
    Lease lease = one.lock(name).acquire(AGES);
    CompletableFuture<Lease> next = two.lock(name).async().acquire(AGES).toCompletableFuture();
    await().atMost(AGES).until(() -> !one.inspect().lock(name).waiters().isEmpty());
    lease.close();
    try (Lease held = next.get(30, TimeUnit.SECONDS)) {
      assertThat(held.token()).isGreaterThan(lease.token());
    }
  }

  @Test
  void aQuorumIsReachedOverTls() throws Exception {
    try (TlsServer a = start(ours, "server");
        TlsServer b = start(ours, "server");
        TlsServer c = start(ours, "server")) {
      String uri =
          Stream.of(a, b, c)
              .map(each -> "localhost:" + each.port())
              .collect(Collectors.joining(",", "rediss-quorum://", trusting(ours) + "&fresh=true"));
      try (Sluice one = connect(uri);
          Sluice two = connect(uri)) {
        assertHandsOver(one, two, "x");
      }
      assertThatThrownBy(() -> connect(uri.replace(trusting(ours), trusting(others))).close())
          .isInstanceOf(NoQuorumException.class);
    }
  }

  @Test
  void aClusterIsReachedOverTlsAndLeadsToItsOtherServers() throws Exception {
    try (RedisCluster cluster =
        RedisCluster.start(RedisBinary.any(), 3, 0, RedisTlsIT::clusterArguments)) {
      cluster.masters().forEach(master -> cluster.announce(master, tlsPort(master)));
      cluster.awaitAnnounced();
      String uri =
          "rediss-cluster://127.0.0.1:" + tlsPort(cluster.masters().get(0)) + trusting(ours);
      try (Sluice one = connect(uri);
          Sluice two = connect(uri)) {
        for (RedisServer master : cluster.masters()) {
          int number = 0;
          while (cluster.masterOf(cluster.slot("sl:{n" + number + "}:lock")) != master) {
            number++;
          }
          assertHandsOver(one, two, "n" + number);
        }
      }
    }
  }

  @Test
  void sentinelsAndTheMasterThatTheyNameAreReachedOverTls() throws Exception {
    int port = freePort();
    List<String> arguments = documented(ours, "server", port);
    arguments.addAll(List.of("--sentinel", "--tls-replication", "yes"));
    try (TlsServer master = start(ours, "server");
        RedisServer sentinel =
            RedisServer.start(RedisBinary.any(), arguments.toArray(String[]::new))) {
      sentinel.call("SENTINEL", "MONITOR", "main", "127.0.0.1", "" + master.port(), "1");
      String place = "rediss-sentinel://127.0.0.1:" + port + "/";
      String uri = place + trusting(ours) + "#main";
      try (Sluice one = connect(uri);
          Sluice two = connect(uri)) {
        assertThat(one.describe())
            .isEqualTo("Redis master 'main' by Sentinel at 127.0.0.1:" + port + " with TLS");
        assertHandsOver(one, two, "x");
      }
      assertRefused(place + trusting(others) + "#main", "TLS cannot be used");
      assertThatThrownBy(() -> connect(uri.replace("rediss-", "redis-")).close())
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static List<String> clusterArguments() {
    try {
      int port = freePort();
      List<String> arguments = documented(ours, "server", port);
      // or Redis 6.2 names its plain port where it speaks of itself
      arguments.addAll(List.of("--cluster-announce-port", "" + port));
      return arguments;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whoIsNotVouchedForIsRefused() throws Exception {
    try (TlsServer tls = start(ours, "server")) {
      assertRefused(tls.uri("localhost", ""), "unable to find valid certification path");
      assertRefused(
          tls.uri("localhost", trusting(others)), "signature", "certification path", "certificate");
    }
    try (TlsServer tls = start(others, "stranger")) {
      assertRefused(
          tls.uri("localhost", trusting(ours)), "certification path", "signature", "certificate");
    }
  }

  @Test
  void anotherNameIsRefused() throws Exception {
    try (TlsServer tls = start(ours, "elsewhere")) {
      assertRefused(
          tls.uri("localhost", trusting(ours)),
          "No subject alternative DNS name matching localhost",
          "No name matching");
      assertRefused(tls.uri("127.0.0.1", trusting(ours)), "127.0.0.1");
    }
  }

  @Test
  void anExpiredCertificateIsRefused() throws Exception {
    try (TlsServer tls = start(ours, "expired")) {
      assertRefused(tls.uri("localhost", trusting(ours)), "NotAfter");
    }
  }

  @Test
  void aServerWithoutTlsIsRefused() {
    try (RedisServer plain = RedisServer.start()) {
      String uri = "rediss://localhost:" + plain.port() + trusting(ours);
      assertThatThrownBy(() -> Sluice.connect(uri).close())
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("does not speak TLS");
    }
  }

  @Test
  void aServerMayAskForOurCertificate() throws Exception {
    try (TlsServer tls = start(ours, "server", "--tls-auth-clients", "yes")) {
      String mine = "&cert=" + ours.certificate("client") + "&key=" + ours.key("client");
      try (Sluice sluice = connect(tls.uri("localhost", trusting(ours) + mine))) {
        sluice.lock("x").tryAcquire().orElseThrow().close();
      }
      assertThatThrownBy(() -> connect(tls.uri("localhost", trusting(ours))).close())
          .isInstanceOf(BackendException.class);
    }
  }

  /** The server and the client have the same three files. */
  private record Replaced(Path authority, Path certificate, Path key) {
    void copy(Certificates from, String name) throws IOException {
      Files.copy(from.authority(), authority, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(from.certificate(name), certificate, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(from.key(name), key, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Test
  void replacedFilesAreReadByTheNextConnection() throws Exception {
    Path files = Files.createDirectory(folder.resolve("replaced"));
    Replaced replaced =
        new Replaced(files.resolve("ca.crt"), files.resolve("both.crt"), files.resolve("both.key"));
    replaced.copy(ours, "server");
    try (TlsServer tls =
            start(
                ours,
                "server",
                "--appendonly",
                "yes",
                "--tls-cert-file",
                replaced.certificate().toString(),
                "--tls-key-file",
                replaced.key().toString(),
                "--tls-ca-cert-file",
                replaced.authority().toString(),
                "--tls-auth-clients",
                "yes");
        Sluice sluice =
            connect(
                tls.uri(
                    "localhost",
                    "?ca="
                        + replaced.authority()
                        + "&cert="
                        + replaced.certificate()
                        + "&key="
                        + replaced.key()));
        Lease lease = sluice.lock("x", LockOptions.fixed(Duration.ofMinutes(10))).acquire(AGES)) {
      replaced.copy(others, "stranger");
      assertThat(lease.renew(Duration.ofMinutes(10))).as("over the open connection").isTrue();
      tls.server().kill();
      tls.server().restart();
      await()
          .atMost(AGES)
          .ignoreExceptionsInstanceOf(BackendException.class)
          .until(() -> lease.renew(Duration.ofMinutes(10)));
      lease.checkHeld();
      assertRefused(tls.uri("localhost", trusting(ours)), "certificat", "signature");
    }
  }

  @Test
  void whoTrustsEverybodyIsToldSo() throws Exception {
    // 192.0.2.1 is nobody's, so that nothing is bound but the loopback
    try (TlsServer tls =
        start(ours, "server", "--bind", "127.0.0.1", "-192.0.2.1", "--requirepass", "hush")) {
      String user = ":hush@localhost";
      assertFinds(examine(tls.uri(user, "?verifyPeer=NONE")), RedisFinding.TLS_UNVERIFIED);
      assertThat(examine(tls.uri(user, trusting(ours)))).isEmpty();
    }
  }

  @Test
  void parametersThatMakeNoSenseAreRefused() {
    String ca = "ca=" + ours.authority();
    for (String uri :
        List.of(
            "redis://localhost?" + ca,
            "rediss://localhost?ca=/no/such/file",
            "rediss://localhost?" + ca + "&cert=" + ours.certificate("client"))) {
      assertThatThrownBy(() -> Sluice.connect(uri)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> examine("rediss://localhost?ca=/no/such/file"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is no file '/no/such/file'");
  }
}
