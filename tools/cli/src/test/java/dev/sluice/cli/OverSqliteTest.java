package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.cli.terminal.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes of the command line on a fresh machine: no server, no store named. */
class OverSqliteTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  /** Fifty need a machine of their own: {@code -Dsluice.shells=50}. */
  private static final int SHELLS = Integer.getInteger("sluice.shells", 8);

  @TempDir Path home;
  private final List<SluiceProcess> started = new ArrayList<>();

  @AfterEach
  void endAll() {
    started.forEach(SluiceProcess::close);
  }

  private SluiceProcess sluice(String... args) {
    SluiceProcess process = SluiceProcess.startAtHome(home, args);
    started.add(process);
    return process;
  }

  private String ran(String... args) {
    SluiceProcess process = sluice(args);
    assertThat(process.exitCode()).as(process.err()).isZero();
    assertThat(process.err()).isEmpty();
    return process.out().strip();
  }

  private SluiceProcess running(String... args) {
    SluiceProcess process = sluice(args);
    await().atMost(SOON).until(() -> !process.out().isEmpty() || !process.isAlive());
    assertThat(process.out()).as(process.err()).isNotEmpty();
    return process;
  }

  @Test
  void theFirstCommandMakesItsStoreForItsUserAlone() throws IOException {
    String token = ran("lock", "nightly", "--", "sh", "-c", "echo $SLUICE_TOKEN");
    assertThat(token).matches("\\d{16}");
    Path folder = home.resolve(".sluice");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
    Path file = folder.resolve("sluice.db");
    assertThat(file).isNotEmptyFile();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(ran("lock", "nightly", "--", "sh", "-c", "echo $SLUICE_TOKEN")).isGreaterThan(token);
  }

  /** What is loaded runs as the user: nobody else may have put it there. */
  @Test
  void theLibraryIsNamedByItsHashAndCheckedBeforeItIsLoaded() throws Exception {
    ran("lock", "x", "--", "true");
    Path kept = home.resolve(".sluice/lib");
    Path library;
    try (Stream<Path> files = Files.walk(kept)) {
      library = files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(library));
    assertThat(kept.relativize(library).getName(0))
        .hasToString("sqlite-" + HexFormat.of().formatHex(hash, 0, 16));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(library)))
        .isEqualTo("rw-------");

    // a library that cannot be loaded would end the command, if it were loaded
    Files.writeString(library, "of somebody else");
    ran("lock", "x", "--", "true");
    assertThat(library).hasContent("of somebody else");
  }

  @Test
  void whatOthersCanWriteIsNotTrusted() throws Exception {
    ran("lock", "x", "--", "true");
    for (String place : List.of(".sluice/sluice.db", ".sluice")) {
      Path open = home.resolve(place);
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
      SluiceProcess refused = sluice("ls");
      assertThat(refused.exitCode()).isEqualTo(Exit.UNREACHABLE);
      assertThat(refused.err()).contains("others can write to " + open, "chmod go-w");
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwx------"));
    }
    ran("lock", "x", "--", "true");
  }

  @Test
  void whatBelongsToSomebodyElseIsNotTrusted() throws Exception {
    ran("lock", "x", "--", "true");
    for (String place : List.of(".sluice/sluice.db", ".sluice")) {
      Path theirs = home.resolve(place);
      Object us = giveAway(theirs);
      SluiceProcess refused = sluice("ls");
      assertThat(refused.exitCode()).isEqualTo(Exit.UNREACHABLE);
      assertThat(refused.err()).contains(theirs + " belongs to another user, 12345");
      Files.setAttribute(theirs, "unix:uid", us);
    }
    ran("lock", "x", "--", "true");
  }

  private static Object giveAway(Path file) throws IOException {
    Object us = Files.getAttribute(file, "unix:uid");
    try {
      Files.setAttribute(file, "unix:uid", 12_345);
    } catch (IOException e) {
      Assumptions.abort("only root can give a file away");
    }
    return us;
  }

  /** Instead, the driver unpacks one for this run, as it does by itself. */
  @Test
  void aLibraryThatOthersCanReplaceIsNotLoaded() throws Exception {
    ran("lock", "x", "--", "true");
    assertThat(unpacked()).as("by the driver").isEmpty();
    List<Path> places;
    try (Stream<Path> files = Files.walk(home.resolve(".sluice/lib"))) {
      places = files.toList();
    }
    assertThat(places).as("lib, its folder named by the hash, the library").hasSize(3);
    for (Path place : places) {
      Set<PosixFilePermission> rights = Files.getPosixFilePermissions(place);
      Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThat(unpacked()).as("others can write to %s", place).isNotEmpty();
      Files.setPosixFilePermissions(place, rights);
    }
    assertThat(unpacked()).isEmpty();
  }

  /** What is in the temporary folder while a command runs. */
  private String unpacked() {
    return ran("lock", "x", "--", "sh", "-c", "ls \"$HOME\"");
  }

  @Test
  void concurrentShellsNeverOverlapAndTokensGrow() throws IOException {
    Path log = home.resolve("log");
    String script =
        "echo begin $SLUICE_TOKEN >> \"$0\"; sleep 0.05; echo end $SLUICE_TOKEN >> \"$0\"";
    for (int i = 0; i < SHELLS; i++) {
      sluice("lock", "nightly", "--", "sh", "-c", script, log.toString());
    }
    for (SluiceProcess process : started) {
      assertThat(process.exitCode()).as(process.err()).isZero();
    }
    List<String> lines = Files.readAllLines(log);
    assertThat(lines).hasSize(2 * SHELLS);
    long last = 0;
    for (int i = 0; i < lines.size(); i += 2) {
      String[] begin = lines.get(i).split(" ");
      assertThat(begin[0]).as("%s", lines).isEqualTo("begin");
      assertThat(lines.get(i + 1)).as("%s", lines).isEqualTo("end " + begin[1]);
      assertThat(Long.parseLong(begin[1])).as("%s", lines).isGreaterThan(last);
      last = Long.parseLong(begin[1]);
    }
  }

  @Test
  void aKilledHolderIsFreedByTimeAndLeavesNothingButItsSpentToken() {
    String script = "echo $SLUICE_TOKEN $$; exec sleep 600";
    SluiceProcess holder = running("lock", "nightly", "--ttl", "10s", "--", "sh", "-c", script);
    String[] said = holder.out().strip().split(" ");
    ProcessHandle orphan = ProcessHandle.of(Long.parseLong(said[1])).orElseThrow();
    try {
      holder.signal("KILL");
      assertThat(holder.exitCode()).isEqualTo(137);
      assertThat(home.toFile().list()).as("also the temporary folder").containsOnly(".sluice");
      String next = ran("lock", "nightly", "--wait", "2m", "--", "sh", "-c", "echo $SLUICE_TOKEN");
      assertThat(next).isGreaterThan(said[0]);
    } finally {
      orphan.destroyForcibly();
    }
  }

  @Test
  void aHomeThatCannotBeWrittenEndsWith69AndSaysWhatToDo() throws IOException {
    assertNoHome(Files.createFile(home.resolve("no-folder")), "Not a directory");
    assertNoHome(Path.of("?"), "the user has no home");
  }

  private void assertNoHome(Path noHome, String reason) {
    SluiceProcess ran = SluiceProcess.startAtHome(noHome, "ls");
    started.add(ran);
    assertThat(ran.exitCode()).isEqualTo(69);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .startsWith("sluice: the default store needs the folder " + noHome + "/.sluice")
        .contains(reason, "name a store with --url or SLUICE_URL")
        .hasLineCount(1);
  }
}
