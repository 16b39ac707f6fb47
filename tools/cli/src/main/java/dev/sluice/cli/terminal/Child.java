package dev.sluice.cli.terminal;

import dev.sluice.text.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command that runs under a lock, on the terminal of this process. */
public final class Child {
  private static final Pattern NO_SUCH_FILE = Pattern.compile("error[=:] ?2\\b");
  private static final Pattern REASON = Pattern.compile("error[=:] ?\\d+(?:, | \\()(.*?)\\)?\\s*$");
  private static final long LOOK_EACH_MILLIS = 20;

  /** A loaded machine takes time to end a process, even after SIGKILL. */
  private static final Duration MAX_END = Duration.ofSeconds(5);

  private final Process process;

  private Child(Process process) {
    this.process = process;
  }

  /** The command could not be started. */
  public static final class NotStarted extends Exception {
    private static final long serialVersionUID = 1L;
    public final int exitCode;

    NotStarted(String command, IOException cause) {
      super("cannot start '" + command + "': " + reason(cause), cause);
      this.exitCode = isMissing(cause) ? Exit.NOT_FOUND : Exit.NOT_EXECUTABLE;
    }

    private static boolean isMissing(IOException cause) {
      return NO_SUCH_FILE.matcher(String.valueOf(cause.getMessage())).find();
    }

    private static String reason(IOException cause) {
      if (isMissing(cause)) {
        return "no such file or directory";
      }
      String message = String.valueOf(cause.getMessage());
      Matcher matcher = REASON.matcher(message);
      return matcher.find() ? matcher.group(1) : message;
    }
  }

  public static Child start(List<String> command, Map<String, String> environment)
      throws NotStarted {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    restoreLocale(builder.environment());
    // who has the password of the store may take any lock; the command has asked for one only
    builder.environment().computeIfPresent("SLUICE_URL", (name, url) -> Secrets.mask(url));
    builder.environment().putAll(environment);
    try {
      return new Child(builder.start());
    } catch (IOException e) {
      throw new NotStarted(command.get(0), e);
    }
  }

  /** The launcher script sets LC_ALL if the caller's locale is not a UTF-8 one. */
  private static void restoreLocale(Map<String, String> environment) {
    String callers = System.getProperty("sluice.callerLcAll");
    if (callers != null && callers.isEmpty()) {
      environment.remove("LC_ALL");
    } else if (callers != null) {
      environment.put("LC_ALL", callers);
    }
  }

  public CompletableFuture<Integer> ended() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /**
   * Passes a signal on. One that the terminal sent went to every process in the foreground, so the
   * child has it already; a second one would tell many programs to give up cleaning up.
   */
  void signal(String name) {
    if (!process.isAlive() || (name.equals("INT") && inForeground())) {
      return;
    }
    if (name.equals("TERM")) {
      process.destroy();
      return;
    }
    try {
      new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " " + process.pid())
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      process.destroy(); // no shell here: the next best way to ask it to end
    }
  }

  /** Returns whether this process belongs to the terminal's foreground group. */
  private static boolean inForeground() {
    return status(Path.of("/proc/self/stat"))
        .map(fields -> fields[2].equals(fields[5])) // our group, the group in the foreground
        .orElseGet(() -> System.console() != null);
  }

  /**
   * Ends the command and its descendants, first by SIGTERM, then by SIGKILL. Returns when they are
   * gone, at most five seconds after the grace is over.
   *
   * @return whether all of them are gone
   */
  public boolean stop(Duration grace) throws InterruptedException {
    Set<ProcessHandle> family = new LinkedHashSet<>();
    gather(family);
    family.forEach(ProcessHandle::destroy);
    if (awaitEnd(family, grace)) {
      return true;
    }
    gather(family);
    family.forEach(ProcessHandle::destroyForcibly);
    gather(family); // what one of them started in between
    family.forEach(ProcessHandle::destroyForcibly);
    return awaitEnd(family, MAX_END);
  }

  /**
   * Adds the present descendants. A process that was seen once stays known when its parent has
   * ended.
   */
  private void gather(Set<ProcessHandle> family) {
    family.add(process.toHandle());
    for (ProcessHandle known : List.copyOf(family)) {
      known.descendants().forEach(family::add);
    }
  }

  private static boolean awaitEnd(Set<ProcessHandle> family, Duration longest)
      throws InterruptedException {
    long start = System.nanoTime();
    while (family.stream().anyMatch(Child::runs)) {
      if (System.nanoTime() - start >= longest.toNanos()) {
        return false;
      }
      Thread.sleep(LOOK_EACH_MILLIS);
    }
    return true;
  }

  /**
   * Returns whether a process is alive and no zombie. One that ended but was not reaped does not:
   * in a container a grandchild may never be reaped, and the JDK counts it as alive.
   */
  public static boolean runs(ProcessHandle process) {
    return process.isAlive()
        && !status(Path.of("/proc", String.valueOf(process.pid()), "stat"))
            .map(fields -> fields[0].equals("Z"))
            .orElse(false);
  }

  /**
   * The text that Linux prints after the name of a process: state, parent, group, session and so
   * on.
   */
  private static Optional<String[]> status(Path file) {
    try {
      String status = Files.readString(file);
      return Optional.of(status.substring(status.lastIndexOf(')') + 2).split(" "));
    } catch (IOException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }
}
