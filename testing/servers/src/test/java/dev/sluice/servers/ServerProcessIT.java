package dev.sluice.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ServerProcessIT {

  @Test
  void runsUntilItIsClosedAndLeavesNothing() throws Exception {
    ServerProcess server = ServerProcess.ofOurUser();
    Path number = server.folder().resolve("number");

    server.start(() -> process(number), "sh", "-c", "echo $$ > number; exec sleep 600");
    ProcessHandle process = process(number);
    server.close();
    server.close();

    assertThat(process.isAlive()).isFalse();
    assertThat(server.folder()).doesNotExist();
  }

  @Test
  void aServerOfAnotherUserIsTheProcessThatIsEnded() throws Exception {
    ServerProcess server = ServerProcess.inFolderOf("no-such-user-of-ours", "INT");
    Path number = server.folder().resolve("number");

    server.start(
        () -> process(number), "sh", "-c", "id -u > user; echo $$ > number; exec sleep 600");
    ProcessHandle process = process(number);
    String user = Files.readString(server.folder().resolve("user")).strip();
    server.close();

    assertThat(user).isNotEqualTo("0");
    assertThat(process.isAlive()).isFalse();
  }

  @Test
  void whatAServerPrintedIsInTheMessageWhenItDoesNotStart() {
    try (ServerProcess server = ServerProcess.ofOurUser()) {
      assertThatThrownBy(
              () ->
                  server.start(
                      () -> Files.readString(server.folder().resolve("never")),
                      "sh",
                      "-c",
                      "echo port taken; exit 3"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("sh did not start:\nport taken\n");
      assertThatThrownBy(() -> server.prepare("sh", "-c", "echo no space; exit 1"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("[sh, -c, echo no space; exit 1] failed:\nno space\n");
    }
  }

  @Test
  void findsProgramsOnThePathAndInOtherFolders() {
    assertThat(ServerProcess.find("sh")).isPresent();
    assertThat(ServerProcess.find("no-such-program-of-ours")).isEmpty();
  }

  private static ProcessHandle process(Path number) throws IOException {
    return ProcessHandle.of(Long.parseLong(Files.readString(number).strip())).orElseThrow();
  }
}
