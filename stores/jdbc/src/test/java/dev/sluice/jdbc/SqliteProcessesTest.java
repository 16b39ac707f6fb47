package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.servers.JavaCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes of one machine over one file, and nothing installed. */
class SqliteProcessesTest {
  private static final int TURNS = 60;
  private static final Duration AGES = Duration.ofSeconds(60);

  @TempDir Path folder;

  private String url() {
    return "jdbc:sqlite:" + folder.resolve("sluice.db");
  }

  private Process start(int turns) throws IOException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command =
        JavaCommand.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp", path);
    command.addAll(
        List.of(
            SqliteWorker.class.getName(), url(), folder.resolve("number").toString(), "" + turns));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  @Test
  void processesOfOneFileExcludeEachOtherAndNoneIsToldThatItIsBusy() throws Exception {
    Files.writeString(folder.resolve("number"), "0");
    List<Process> workers = List.of(start(TURNS), start(TURNS)); // neither finds the tables
    try {
      List<Long> tokens = new ArrayList<>();
      for (Process worker : workers) {
        List<Long> own = new ArrayList<>();
        new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .forEach(line -> own.add(Long.valueOf(line))); // a failure is no number
        assertThat(own).hasSize(TURNS).isSorted();
        tokens.addAll(own);
      }
      assertThat(Files.readString(folder.resolve("number"))).isEqualTo("" + 2 * TURNS);
      assertThat(tokens).doesNotHaveDuplicates();
    } finally {
      workers.forEach(Process::destroyForcibly);
    }
  }

  @Test
  void aProcessThatIsKilledLosesItsLockByItsTtlAndTokensGrow() throws Exception {
    Process worker = start(0);
    try {
      long token = Long.parseLong(worker.inputReader().readLine());
      try (Sluice sluice = Sluice.builder().uri(url()).requestTimeout(AGES).build()) {
        assertThat(sluice.lock("file").tryAcquire()).isEmpty();
        worker.destroyForcibly();
        assertThat(worker.waitFor(60, TimeUnit.SECONDS)).isTrue();
        try (Lease lease = sluice.lock("file").acquire(AGES)) {
          assertThat(lease.token()).isGreaterThan(token);
        }
      }
    } finally {
      worker.destroyForcibly();
    }
  }
}
