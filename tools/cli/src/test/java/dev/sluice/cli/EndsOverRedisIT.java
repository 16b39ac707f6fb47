package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.cli.terminal.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ends of a command before its time: signals, lost locks, servers that stop or stay silent. */
class EndsOverRedisIT extends RedisProcesses {
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
        sluice("lock", "l", "--ttl", "10s", "--", "sh", "-c", script, folder.toString(), stubborn);
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
    SluiceProcess running = holder("dead", "--ttl", "5s");
    server.kill();
    assertThat(running.exitCode()).isEqualTo(76);
    assertThat(running.err()).contains("lock 'dead' lost: ", "stopping the command");
  }

  @Test
  void aSilentServerIsToldAndTheLockKeptIfItComesBackInTime() throws IOException {
    SluiceProcess running = holder("doubt", "--ttl", "30s");
    server.pause();
    awaitError(running, "lock 'doubt' is in doubt: it was not renewed, and is lost in ");
    server.resume();
    awaitError(running, "lock 'doubt' is renewed again");
    Files.createFile(folder.resolve("go"));
    assertThat(running.exitCode()).isZero();
  }

  @Test
  void aServerThatDiesWhileWeWaitEndsWith69AtTheEndOfTheWait() {
    holder("gone");
    SluiceProcess waiting = sluice("lock", "gone", "--wait", "15s", "--", "echo", "ran");
    awaitWaiter("gone");
    server.kill();
    assertThat(waiting.exitCode()).isEqualTo(69);
    assertThat(waiting.out()).isEmpty();
  }
}
