package dev.sluice.cli;

import dev.sluice.servers.JavaCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The command line as a process of its own, on the classes under test. */
public final class SluiceProcess implements AutoCloseable {
  private static final Path SETSID = Path.of("/usr/bin/setsid");
  private static final Duration MAX_DURATION = Duration.ofMinutes(3);

  private final Process process;
  private final Path folder;

  private SluiceProcess(Process process, Path folder) {
    this.process = process;
    this.folder = folder;
  }

  public static SluiceProcess start(String url, String... args) {
    return startWithInput(url, "", args);
  }

  public static SluiceProcess startWithInput(String url, String input, String... args) {
    try {
      Path folder = Files.createTempDirectory("sluice-cli");
      Files.writeString(folder.resolve("in"), input);
      return start(url, List.of(), folder, folder.resolve("in"), args);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As a user whose home this is, and who has named no store. */
  static SluiceProcess startAtHome(Path home, String... args) {
    try {
      Path folder = Files.createTempDirectory("sluice-cli");
      Files.writeString(folder.resolve("in"), "");
      // newer JDKs warn of a temporary folder that does not exist
      Path temporary = Files.isDirectory(home) ? home : folder;
      List<String> prefix = new ArrayList<>(DefaultSignals.prefix());
      prefix.addAll(List.of("env", "HOME=" + home));
      return start(
          prefix, "", List.of("-Djava.io.tmpdir=" + temporary), folder, folder.resolve("in"), args);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With a file or a pipe of the caller's as its input. */
  public static SluiceProcess startReading(String url, Path input, String... args) {
    try {
      return start(url, List.of(), Files.createTempDirectory("sluice-cli"), input, args);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As in a background job of a script, or under {@code nohup}. */
  public static SluiceProcess startIgnoringSignals(String url, String... args) {
    try {
      Path folder = Files.createTempDirectory("sluice-cli");
      Files.writeString(folder.resolve("in"), "");
      List<String> ignoring = List.of("sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh");
      return start(ignoring, url, List.of(), folder, folder.resolve("in"), args);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SluiceProcess start(
      String url, List<String> flags, Path folder, Path input, String... args) throws IOException {
    return start(DefaultSignals.prefix(), url, flags, folder, input, args);
  }

  private static SluiceProcess start(
      List<String> prefix, String url, List<String> flags, Path folder, Path input, String... args)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    if (Files.isExecutable(SETSID)) {
      command.add(SETSID.toString()); // away from a terminal, whose own signals are not passed on
    }
    command.addAll(JavaCommand.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Main.class.getName());
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(input.toFile())
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile());
    builder.environment().put("SLUICE_URL", url);
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    return new SluiceProcess(builder.start(), folder);
  }

  public String out() {
    return read("out");
  }

  public String err() {
    return read("err");
  }

  private String read(String file) {
    try {
      return Files.readString(folder.resolve(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All that it has started and that is there now. */
  public List<ProcessHandle> descendants() {
    return process.descendants().toList();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** The exit code, once there is one. */
  public int exitCode() {
    try {
      if (!process.waitFor(MAX_DURATION.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("still running; out: " + out() + "; err: " + err());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  public void signal(String name) {
    signal(name, process.pid());
  }

  public static void signal(String name, long pid) {
    try {
      int code =
          new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " " + pid).start().waitFor();
      if (code != 0) {
        throw new AssertionError("kill -s " + name + " ended with " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Ends the process and all that it started, and deletes its folder. */
  @Override
  public void close() {
    Set<ProcessHandle> family = new LinkedHashSet<>();
    family.add(process.toHandle());
    process.descendants().forEach(family::add);
    family.forEach(ProcessHandle::destroyForcibly);
    family.forEach(member -> member.onExit().join());
    for (String file : List.of("in", "out", "err")) {
      folder.resolve(file).toFile().delete();
    }
    folder.toFile().delete();
  }
}
