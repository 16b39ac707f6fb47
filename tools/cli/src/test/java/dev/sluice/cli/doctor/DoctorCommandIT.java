package dev.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Finding;
import dev.sluice.cli.Ran;
import dev.sluice.servers.RedisServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.jr.ob.JSON;

/**
 * The output of the doctor and its exit codes. Its findings are tested in the modules of the
 * stores. What it finds is tested where it looks.
 */
class DoctorCommandIT {
  private static final String[] GOOD = {
    "--maxmemory",
    "1gb",
    "--maxmemory-policy",
    "noeviction",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always"
  };

  private static Ran doctor(String... args) {
    String[] all = new String[args.length + 3];
    all[0] = "doctor";
    all[1] = "--timeout";
    all[2] = "10s";
    System.arraycopy(args, 0, all, 3, args.length);
    return Ran.sluice(all);
  }

  // A stalled machine makes any server "slow", so findings are awaited.

  @Test
  void nothingIsFoundAtAGoodServer() {
    try (RedisServer server = RedisServer.start(GOOD)) {
      Ran good = new Ran(0, "nothing found; examined " + server.uri() + "\n", "");
      await().untilAsserted(() -> assertThat(doctor(server.uri())).isEqualTo(good));
    }
  }

  @Test
  void theExitCodeIsThatOfTheWorstFinding() {
    try (RedisServer server = RedisServer.start(GOOD)) {
      server.call("CONFIG", "SET", "appendfsync", "everysec");
      await().untilAsserted(() -> assertThat(doctor(server.uri()).code()).as("info").isZero());
      server.call("CONFIG", "SET", "timeout", "60");
      assertThat(doctor(server.uri()).code()).as("warning").isEqualTo(1);
      server.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      await()
          .untilAsserted(
              () -> {
                Ran errors = doctor(server.uri());
                assertThat(errors.code()).as("error").isEqualTo(2);
                assertThat(errors.out())
                    .startsWith("ERROR    eviction-policy  Redis at 127.0.0.1:" + server.port())
                    .contains("         fix   CONFIG SET maxmemory-policy noeviction\n")
                    .endsWith("1 error, 1 warning, 1 info; examined " + server.uri() + "\n");
                assertThat(errors.err()).isEmpty();
              });
    }
  }

  @Test
  void aServerThatIsDownIsSaidBesideTheOthers() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (RedisServer one = RedisServer.start(GOOD);
        RedisServer two = RedisServer.start(GOOD)) {
      two.call("CONFIG", "SET", "timeout", "60");
      Ran ran = doctor(one.uri(), two.uri(), "redis://bob:hush@127.0.0.1:" + port);
      assertThat(ran.code()).isEqualTo(69);
      assertThat(ran.out())
          .contains("ERROR    unreachable  Redis at 127.0.0.1:" + port, "warning  idle-timeout")
          .contains("redis://***@127.0.0.1:" + port)
          .doesNotContain("hush", "bob");
    }
  }

  @Test
  void json() throws Exception {
    try (RedisServer server = RedisServer.start(GOOD)) {
      server.call("CONFIG", "SET", "timeout", "60");
      Ran ran = doctor("--json", "--url", server.uri());
      assertThat(ran.code()).isEqualTo(1);
      Map<String, Object> all = JSON.std.mapFrom(ran.out());
      assertThat(all)
          .containsEntry("stores", List.of(server.uri()))
          .containsEntry("worst", "warning")
          .containsOnlyKeys("stores", "worst", "findings");
      assertThat(all.get("findings"))
          .isEqualTo(
              List.of(
                  Map.of(
                      "severity", "warning",
                      "id", "idle-timeout",
                      "where", "Redis at 127.0.0.1:" + server.port(),
                      "what", "timeout is 60 s",
                      "risk",
                          "idle connections are closed; a call sent at that moment has an unknown"
                              + " outcome",
                      "fix", "CONFIG SET timeout 0")));
    }
    assertThat(JSON.std.mapFrom(doctor("--json", "memory:").out())).containsEntry("worst", "info");
  }

  @Test
  void theMemoryOfAJvmIsNoStoreForOthers() {
    Ran ran = doctor("memory:");
    assertThat(ran.code()).isZero();
    assertThat(ran.out())
        .startsWith("info     one-jvm  memory of this JVM\n")
        .endsWith("0 errors, 0 warnings, 1 info; examined memory:\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:1/db?user=u&password=hunter2",
        "jdbc:mariadb://127.0.0.1:1/db?user=u&password=hunter2",
        "jdbc:h2:tcp://127.0.0.1:1/db;USER=u;PASSWORD=hunter2",
        "redis://127.0.0.1:1?password=hunter2",
        "redis://127.0.0.1:1/0#password=hunter2",
        "rediss://u:hunter2@127.0.0.1:1?ca=/nowhere&passphrase=hunter2",
        "redis-quorum://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3?secret=hunter2",
        "pigeon://roof?token=hunter2"
      })
  void whatIsSecretInAUrlIsNeverShown(String url) {
    for (List<String> command :
        List.of(
            List.of("doctor", "--timeout", "1s", url),
            List.of("doctor", "--timeout", "1s", "--json", url))) {
      Ran ran = Ran.sluice(command.toArray(String[]::new));
      assertThat(ran.code()).as("%s", command).isNotZero();
      assertThat(ran.out() + ran.err())
          .as("%s", command)
          .isNotEmpty()
          .doesNotContain("hunter2", "\tat ");
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    assertThat(doctor("pigeon://bob:hush@roof"))
        .satisfies(ran -> assertThat(ran.code()).isEqualTo(64))
        .satisfies(ran -> assertThat(ran.out() + ran.err()).doesNotContain("hush"));
    assertThat(doctor("redis://bob:hush@roof:door").err()).doesNotContain("hush");
    Ran replicas = doctor("redis://roof?replicas=x");
    assertThat(replicas.code()).isEqualTo(64);
    assertThat(replicas.err()).contains("replicas").doesNotContain("\tat ");
    assertThat(Ran.sluice("doctor", "--timeout", "soon", "memory:").code()).isEqualTo(64);
  }

  @Test
  void errorsStandOut() {
    List<Finding> findings =
        List.of(
            new Finding(Finding.Severity.ERROR, "a", "here", "x", "y", "z"),
            new Finding(Finding.Severity.WARNING, "b", "here", "x", "y", "z"),
            new Finding(Finding.Severity.INFO, "c", "here", "x", "y", "z"));
    assertThat(DoctorView.lines(List.of("s"), findings, false))
        .contains("ERROR    a  here", "warning  b  here", "info     c  here")
        .doesNotContain("\u001b");
    assertThat(DoctorView.lines(List.of("s"), findings, true))
        .contains(
            "\u001b[1;31mERROR   \u001b[0m a", "\u001b[33mwarning \u001b[0m b", "\ninfo     c");
  }
}
