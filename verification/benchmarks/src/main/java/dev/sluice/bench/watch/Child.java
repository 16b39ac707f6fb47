package dev.sluice.bench.watch;

import dev.sluice.servers.JavaCommand;
import dev.sluice.servers.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A JVM of its own, whose CPU time is read from outside. */
final class Child implements AutoCloseable {
  static final List<String> FLAGS = List.of("-Xms64m", "-Xmx256m");

  private final Process process;
  private final Watchdog watchdog;

  /** What it said when it was ready. */
  final String said;

  private Child(Process process, Watchdog watchdog, String said) {
    this.process = process;
    this.watchdog = watchdog;
    this.said = said;
  }

  /** Starts it, and waits until it prints a line that matches. */
  static Child start(Pattern ready, String main, String... arguments) throws IOException {
    List<String> command = JavaCommand.of();
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Watchdog watchdog = Watchdog.of(process);
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder heard = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      heard.append(line).append('\n');
      Matcher found = ready.matcher(line);
      if (found.find()) {
        Thread rest = new Thread(() -> out.lines().forEach(more -> {}), "bench-child-output");
        rest.setDaemon(true);
        rest.start();
        return new Child(process, watchdog, found.group());
      }
    }
    watchdog.close();
    throw new IllegalStateException(main + " did not start:\n" + heard);
  }

  /** {@return the CPU time that it has used} */
  Duration cpu() {
    return process
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new IllegalStateException("this system tells no CPU time"));
  }

  @Override
  public void close() {
    watchdog.close();
    Watchdog.kill(process);
  }
}
