package dev.sluice.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.cli.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The environment of a command under a lock, its signals and its exit codes. */
class RunningCommandTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  @TempDir private Path folder;

  private static SluiceProcess lock(String... command) {
    String[] args = new String[command.length + 3];
    args[0] = "lock";
    args[1] = "a name/é锁";
    args[2] = "--";
    System.arraycopy(command, 0, args, 3, command.length);
    return SluiceProcess.start("memory:", args);
  }

  private static void awaitOutput(SluiceProcess sluice, String text) {
    await().atMost(SOON).until(() -> sluice.out().contains(text) || !sluice.isAlive());
    assertThat(sluice.out()).as(sluice.err()).contains(text);
  }

  @Test
  void theCommandFindsNameTokenAndOwnerInItsEnvironment() {
    try (SluiceProcess sluice =
        lock("sh", "-c", "echo \"$SLUICE_LOCK|$SLUICE_TOKEN|$SLUICE_OWNER|$SLUICE_FENCE\"")) {
      assertThat(sluice.exitCode()).isZero();
      assertThat(sluice.out()).matches("a name/é锁\\|([1-9]\\d{15})\\|([\\w-]{22})\\|\\1:\\2\\.1\n");
      assertThat(sluice.err()).isEmpty();
    }
  }

  @Test
  void theCommandGetsItsArgumentsAsTyped() {
    try (SluiceProcess sluice =
        lock(
            "printf",
            "<%s>",
            "--",
            "",
            "a b",
            "--wait",
            "-h",
            "@file",
            "'q'",
            "${env:HOME}",
            "é*")) {
      assertThat(sluice.exitCode()).isZero();
      assertThat(sluice.out()).isEqualTo("<--><><a b><--wait><-h><@file><'q'><${env:HOME}><é*>");
    }
  }

  @Test
  void theCommandReadsOurInput() {
    try (SluiceProcess sluice =
        SluiceProcess.startWithInput("memory:", "one\ntwo\n", "lock", "x", "--", "cat")) {
      assertThat(sluice.exitCode()).isZero();
      assertThat(sluice.out()).isEqualTo("one\ntwo\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "exit 0, 0",
    "exit 7, 7",
    "exit 255, 255",
    "kill -KILL $$, 137",
    "kill -TERM $$, 143"
  })
  void ourExitCodeIsTheCommands(String script, int code) {
    try (SluiceProcess sluice = lock("sh", "-c", script)) {
      assertThat(sluice.exitCode()).isEqualTo(code);
    }
  }

  @ParameterizedTest
  @CsvSource({"TERM, 31", "INT, 32", "HUP, 33"})
  void aSignalGoesToTheCommandAndItsAnswerIsOurs(String name, int code) {
    String script =
        "trap 'exit 31' TERM; trap 'exit 32' INT; trap 'exit 33' HUP; echo ready;"
            + " while :; do sleep 0.1; done";
    try (SluiceProcess sluice = lock("sh", "-c", script)) {
      awaitOutput(sluice, "ready");
      sluice.signal(name);
      assertThat(sluice.exitCode()).isEqualTo(code);
    }
  }

  /** As with any program: so a script's background jobs survive Ctrl-C, and {@code nohup} works. */
  @Test
  void aSignalThatWasIgnoredAtTheStartStaysIgnored() throws IOException {
    String script =
        "kill -s INT $$; kill -s HUP $$; echo ready;"
            + " while [ ! -e \"$0/go\" ]; do sleep 0.05; done; exit 7";
    try (SluiceProcess sluice =
        SluiceProcess.startIgnoringSignals(
            "memory:", "lock", "x", "--", "sh", "-c", script, folder.toString())) {
      awaitOutput(sluice, "ready");
      sluice.signal("INT");
      sluice.signal("HUP");
      Files.createFile(folder.resolve("go"));
      assertThat(sluice.exitCode()).isEqualTo(7);
    }
    try (SluiceProcess sluice =
        SluiceProcess.startIgnoringSignals("memory:", "lock", "x", "--", "sleep", "600")) {
      await().atMost(SOON).until(() -> !sluice.descendants().isEmpty() || !sluice.isAlive());
      sluice.signal("TERM");
      assertThat(sluice.exitCode()).isEqualTo(143);
    }
  }

  @Test
  void aCommandMayTakeItsTimeToEndOrStayOn() {
    String script =
        "trap 'echo asked' TERM; echo ready; read _ < \"$0\"; while :; do sleep 0.1; done";
    try (SluiceProcess sluice = lock("sh", "-c", script, "/dev/null")) {
      awaitOutput(sluice, "ready");
      sluice.signal("TERM");
      awaitOutput(sluice, "asked");
      assertThat(sluice.isAlive()).isTrue();
      sluice.signal("TERM");
      await().atMost(SOON).until(() -> sluice.out().equals("ready\nasked\nasked\n"));
      assertThat(sluice.isAlive()).isTrue();
    }
  }
}
