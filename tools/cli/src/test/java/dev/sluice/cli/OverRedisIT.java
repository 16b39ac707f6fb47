package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.servers.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.jr.ob.JSON;

/** Several processes of the command line, one Redis server. */
class OverRedisIT extends RedisProcesses {
  @Test
  void processesExcludeEachOtherAndTokensGrow() throws IOException {
    String script =
        "[ -e \"$0/inside\" ] && echo overlap >> \"$0/log\"; : > \"$0/inside\"; sleep 0.1;"
            + " echo $SLUICE_TOKEN >> \"$0/log\"; rm \"$0/inside\"";
    for (int i = 0; i < 4; i++) {
      sluice("lock", "counter", "--", "sh", "-c", script, folder.toString());
    }
    for (SluiceProcess process : started) {
      assertThat(process.exitCode()).as(process.err()).isZero();
    }
    List<String> tokens = Files.readAllLines(folder.resolve("log"));
    assertThat(tokens).hasSize(4).allMatch(token -> token.matches("\\d{16}"));
    assertThat(tokens).isSortedAccordingTo(Comparator.naturalOrder()).doesNotHaveDuplicates();
  }

  @Test
  void busyEndsWith75() {
    holder("busy");
    SluiceProcess once = sluice("lock", "busy", "--try", "--", "echo", "ran");
    SluiceProcess waited = sluice("lock", "busy", "--wait", "3s", "--", "echo", "ran");
    assertThat(once.exitCode()).isEqualTo(75);
    assertThat(once.err()).isEqualTo("sluice: lock 'busy' is held by another process\n");
    assertThat(waited.exitCode()).isEqualTo(75);
    assertThat(waited.err()).isEqualTo("sluice: lock 'busy' was not free within 3.0s\n");
    assertThat(once.out() + waited.out()).isEmpty();
  }

  @Test
  void nobodyThereEndsWith69AndSaysWhatToDo() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    SluiceProcess ran = sluice("--url", "redis://:hunter2@127.0.0.1:" + port, "ls");
    assertThat(ran.exitCode()).isEqualTo(69);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .startsWith("sluice: ")
        .contains("127.0.0.1:" + port)
        .contains("Start a server there, or name another one with --url or SLUICE_URL")
        .doesNotContain("hunter2", "\tat ");
  }

  @Test
  void aWrongPasswordEndsWith69AndIsNotPrinted() {
    try (RedisServer locked = RedisServer.start("--requirepass", "open sesame")) {
      SluiceProcess ran = sluice("--url", "redis://:hunter2@127.0.0.1:" + locked.port(), "ls");
      assertThat(ran.exitCode()).isEqualTo(69);
      assertThat(ran.err())
          .startsWith("sluice: ")
          .doesNotContain("hunter2", "sesame", "\tat ", "Start a server");
    }
  }

  /** Whoever has the password may take any lock; the command runs under one. */
  @Test
  void theCommandUnderALockIsNotToldThePassword() {
    try (RedisServer locked = RedisServer.start("--requirepass", "sesame")) {
      String place = "127.0.0.1:" + locked.port();
      SluiceProcess ran =
          SluiceProcess.start(
              "redis://:sesame@" + place, "lock", "x", "--", "sh", "-c", "echo $SLUICE_URL");
      assertThat(ran.exitCode()).as(ran.err()).isZero();
      assertThat(ran.out()).isEqualTo("redis://***@" + place + "\n");
    }
  }

  @Test
  void foreignDataEndsWith65() throws IOException {
    holder("foreign");
    Files.createFile(folder.resolve("go"));
    started.get(0).exitCode();
    for (Object key : (List<?>) server.call("KEYS", "*")) {
      server.call("DEL", String.valueOf(key));
      server.call("RPUSH", String.valueOf(key), "not ours");
    }
    SluiceProcess ran = sluice("lock", "foreign", "--try", "--", "echo", "ran");
    assertThat(ran.exitCode()).as(ran.err()).isEqualTo(65);
    assertThat(ran.out()).isEmpty();
  }

  /** A waiter that the machine does not run for 1.5 s is no waiter until its next poll. */
  private void assertPrints(String pattern, String... command) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              SluiceProcess process = sluice(command);
              assertThat(process.exitCode()).as(process.err()).isZero();
              assertThat(process.out()).matches(pattern);
            });
  }

  @Test
  void listsAndShowsWhatOtherProcessesHold() throws IOException {
    String evil = "evil\u001b[2J\n{%}é锁";
    SluiceProcess holder =
        holder(evil, "--ttl", "30m"); // is not renewed before the end of the test
    String token = holder.out().strip().substring("held ".length());
    sluice("lock", evil, "--", "true");
    awaitWaiter(evil);

    assertPrints(
        "HOLDER    TOKEN             LEFT     WAITERS  NAME\n"
            + "[\\w-]{8}  "
            + token
            + "  2\\dm\\d\\ds   1        \\Qevil\\u001b[2J\\n{%}é锁\\E\n",
        "ls");
    assertPrints(
        "name        \\Qevil\\u001b[2J\\n{%}é锁\\E\n"
            + "holder      [\\w-]{22}\n"
            + ("token       " + token + "\n")
            + "since       \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z\n"
            + "left        2\\dm\\d\\ds\n"
            + "last token  \\d{16}\n"
            + "waiters     1\n"
            + "  1         [\\w-]{22}\n",
        "show",
        evil);

    SluiceProcess object = sluice("show", evil, "--json");
    assertThat(object.exitCode()).isZero();
    assertThat(JSON.std.mapFrom(object.out()))
        .containsEntry("name", evil)
        .containsEntry("held", true)
        .containsEntry("lastToken", info(evil).lastToken());

    SluiceProcess json = sluice("ls", "--json");
    assertThat(json.exitCode()).isZero();
    assertThat(json.out().strip().lines()).hasSize(1);
    assertThat(JSON.std.listFrom(json.out()))
        .singleElement()
        .hasFieldOrPropertyWithValue("name", evil);
  }

  @Test
  void showWithoutANameNamesTheStoreAlsoToOneWhoMayAskForNothing() {
    String store = "store       Redis at 127.0.0.1:" + server.port() + "\n";
    server.call("ACL", "SETUSER", "bob", "on", ">pw", "~sl:*", "-@all", "+hello", "+ping");
    for (String user : List.of("", "bob:pw@")) {
      SluiceProcess shown =
          sluice("--url", "redis://" + user + "127.0.0.1:" + server.port(), "show");
      assertThat(shown.exitCode()).as(shown.err()).isZero();
      assertThat(shown.out()).startsWith(store + "note ");
    }
  }

  @Test
  void limitsAreSharedByProcesses() {
    String[] alice = {"limit", "try", "login", "alice", "--policy", "fixed-window 2/1d"};
    for (String left : List.of("1", "0")) {
      SluiceProcess allowed = sluice(alice);
      assertThat(allowed.exitCode()).as(allowed.err()).isZero();
      assertThat(allowed.out()).startsWith("allowed; " + left + " of 2 left; full again in ");
    }
    SluiceProcess refused = sluice(alice);
    assertThat(refused.exitCode()).isEqualTo(75);
    assertThat(refused.out()).startsWith("refused by tier 1; 0 of 2 left; retry in ");
    SluiceProcess reset =
        sluice("limit", "reset", "login", "alice", "--policy", "fixed-window 2/1d");
    assertThat(reset.exitCode()).as(reset.err()).isZero();
    assertThat(sluice(alice).exitCode()).isZero();

    String[] throttle = {"throttle", "k", "1", "1", "86400"};
    assertThat(sluice(throttle).exitCode()).isZero();
    assertThat(sluice(throttle).exitCode()).isZero();
    SluiceProcess limited = sluice(throttle);
    assertThat(limited.exitCode()).isEqualTo(75);
    assertThat(limited.out()).startsWith("1\n2\n0\n");
  }

  @Test
  void aLimitWithoutRightsIsNotReportedAsSilence() {
    try (RedisServer server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "default", "-get");
      SluiceProcess ran =
          sluice("--url", server.uri(), "limit", "try", "api", "a", "--policy", "gcra 1/s");
      assertThat(ran.exitCode()).as(ran.err()).isEqualTo(69);
      assertThat(ran.err())
          .isEqualTo(
              "sluice: Redis at "
                  + server.uri().replaceFirst("redis://", "")
                  + " refused the call, or did not answer within 5.0s: 'sluice doctor' looks for"
                  + " the reason\n");
    }
  }

  @Test
  void aLimitWhoseStoreDoesNotAnswerIsNotRefusedBut69() {
    String uri = server.uri();
    server.kill();
    SluiceProcess ran = sluice("--url", uri, "limit", "try", "a", "b", "--policy", "gcra 1/s");
    assertThat(ran.exitCode()).as(ran.err()).isEqualTo(69);
    assertThat(ran.out()).isEmpty();
  }
}
