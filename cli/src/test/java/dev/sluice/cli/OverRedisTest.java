package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.lock.LockInfo;
import dev.sluice.testkit.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.jr.ob.JSON;

/** Several processes of the command line, one Redis server. */
class OverRedisTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  /** Holds the lock until a file named {@code go} appears. */
  private static final String UNTIL_TOLD =
      "echo held $SLUICE_TOKEN; while [ ! -e \"$0/go\" ]; do sleep 0.05; done";

  @TempDir Path folder;
  private RedisServer server;
  private final List<SluiceProcess> started = new ArrayList<>();

  @BeforeEach
  void startServer() {
    server = RedisServer.start();
  }

  @AfterEach
  void endAll() {
    started.forEach(SluiceProcess::close);
    server.close();
  }

  private SluiceProcess sluice(String... args) {
    SluiceProcess process = SluiceProcess.start(server.uri(), args);
    started.add(process);
    return process;
  }

  private SluiceProcess holder(String name, String... options) {
    List<String> args = new ArrayList<>(List.of("lock", name));
    args.addAll(List.of(options));
    args.addAll(List.of("--", "sh", "-c", UNTIL_TOLD, folder.toString()));
    SluiceProcess process = sluice(args.toArray(String[]::new));
    awaitOutput(process, "held");
    return process;
  }

  private static void awaitOutput(SluiceProcess sluice, String text) {
    await().atMost(SOON).until(() -> sluice.out().contains(text) || !sluice.isAlive());
    assertThat(sluice.out()).as(sluice.err()).contains(text);
  }

  private static void awaitError(SluiceProcess sluice, String text) {
    await().atMost(SOON).until(() -> sluice.err().contains(text) || !sluice.isAlive());
    assertThat(sluice.err()).contains(text);
  }

  private LockInfo info(String name) {
    try (Sluice observer = Sluice.connect(server.uri())) {
      return observer.lockInfo(name);
    }
  }

  private void awaitWaiter(String name) {
    await().atMost(SOON).until(() -> info(name).waiters().size() == 1);
  }

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
    assertThat(once.err()).isEqualTo("sluice: lock 'busy' is held by somebody else\n");
    assertThat(waited.exitCode()).isEqualTo(75);
    assertThat(waited.err()).isEqualTo("sluice: lock 'busy' was not free within 3.0s\n");
    assertThat(once.out() + waited.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
  void aSignalEndsAWaitAndGivesUpThePlaceInTheQueue(String signal, int code) {
    holder("queue");
    SluiceProcess waiting = sluice("lock", "queue", "--", "echo", "ran");
    awaitWaiter("queue");
    waiting.signal(signal);
    assertThat(waiting.exitCode()).isEqualTo(code);
    assertThat(waiting.out() + waiting.err()).isEmpty();
    assertThat(info("queue").waiters()).isEmpty();
  }

  @Test
  void theLockIsFreedWhenTheCommandHasEndedAfterASignal() throws IOException {
    String script =
        "trap 'echo asked; while [ ! -e \"$0/go\" ]; do sleep 0.05; done; exit 9' TERM;"
            + " echo held; while :; do sleep 0.05; done";
    SluiceProcess running = sluice("lock", "slow", "--", "sh", "-c", script, folder.toString());
    awaitOutput(running, "held");
    running.signal("TERM");
    awaitOutput(running, "asked");
    assertThat(info("slow").holder()).isPresent();
    Files.createFile(folder.resolve("go"));
    assertThat(running.exitCode()).isEqualTo(9);
    assertThat(info("slow").holder()).isEmpty();
  }

  @Test
  void aLostLockEndsTheCommandAndAllThatItStarted() throws IOException {
    String stubborn = "trap '' TERM; echo $$ > \"$0/pid\"; while :; do sleep 0.1; done";
    String script = "sh -c \"$1\" \"$0\" & echo held; wait";
    SluiceProcess running =
        sluice("lock", "l", "--ttl", "1s", "--", "sh", "-c", script, folder.toString(), stubborn);
    Path pidFile = folder.resolve("pid");
    await().atMost(SOON).until(() -> Files.exists(pidFile) && Files.size(pidFile) > 0);
    ProcessHandle grandchild =
        ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip())).orElseThrow();
    server.call("FLUSHALL");
    assertThat(running.exitCode()).isEqualTo(76);
    assertThat(running.err())
        .matches("(?s)sluice: lock 'l' lost: .* \\(token \\d{16}\\); stopping the command\n.*");
    assertThat(running.err()).doesNotContain("still there");
    assertThat(Child.runs(grandchild)).isFalse();
  }

  @Test
  void aDeadServerLosesTheLockWhenItsTimeIsUp() {
    SluiceProcess running = holder("dead", "--ttl", "1500ms");
    server.kill();
    assertThat(running.exitCode()).isEqualTo(76);
    assertThat(running.err()).contains("lock 'dead' lost: ", "stopping the command");
  }

  @Test
  void aSilentServerIsToldAndTheLockKeptIfItComesBackInTime() throws IOException {
    SluiceProcess running = holder("doubt", "--ttl", "12s");
    server.pause();
    awaitError(running, "lock 'doubt' is in doubt: it was not renewed, and is lost in ");
    server.resume();
    awaitError(running, "lock 'doubt' is renewed again");
    Files.createFile(folder.resolve("go"));
    assertThat(running.exitCode()).isZero();
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

  @Test
  void aServerThatDiesWhileWeWaitEndsWith69AtTheEndOfTheWait() {
    holder("gone");
    SluiceProcess waiting = sluice("lock", "gone", "--wait", "4s", "--", "echo", "ran");
    awaitWaiter("gone");
    server.kill();
    assertThat(waiting.exitCode()).isEqualTo(69);
    assertThat(waiting.out()).isEmpty();
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

  @Test
  void listsAndShowsWhatOtherProcessesHold() throws IOException {
    String evil = "evil\u001b[2J\n{%}é锁";
    SluiceProcess holder = holder(evil);
    String token = holder.out().strip().substring("held ".length());
    sluice("lock", evil, "--", "true");
    awaitWaiter(evil);

    SluiceProcess table = sluice("ls");
    assertThat(table.exitCode()).isZero();
    assertThat(table.out())
        .matches(
            "HOLDER    TOKEN             LEFT     WAITERS  NAME\n"
                + "[\\w-]{8}  "
                + token
                + "  [23]\\d\\.\\ds    1        \\Qevil\\u001b[2J\\n{%}é锁\\E\n");

    SluiceProcess lines = sluice("show", evil);
    assertThat(lines.exitCode()).isZero();
    assertThat(lines.out())
        .matches(
            "name        \\Qevil\\u001b[2J\\n{%}é锁\\E\n"
                + "holder      [\\w-]{22}\n"
                + ("token       " + token + "\n")
                + "since       \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z\n"
                + "left        [23]\\d\\.\\ds\n"
                + "last token  \\d{16}\n"
                + "waiters     1\n"
                + "  1         [\\w-]{22}\n");

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
  void aLimitWhoseStoreDoesNotAnswerIsNotRefusedBut69() {
    String uri = server.uri();
    server.kill();
    SluiceProcess ran = sluice("--url", uri, "limit", "try", "a", "b", "--policy", "gcra 1/s");
    assertThat(ran.exitCode()).as(ran.err()).isEqualTo(69);
    assertThat(ran.out()).isEmpty();
  }
}
