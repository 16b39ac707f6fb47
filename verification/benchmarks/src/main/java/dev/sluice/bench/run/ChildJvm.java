package dev.sluice.bench.run;

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

/** A JVM that is measured from outside, and that ends with this one. */
public final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final Watchdog watchdog;
  private final String said;

  private ChildJvm(Process process, Watchdog watchdog, String said) {
    this.process = process;
    this.watchdog = watchdog;
    this.said = said;
  }

  /** {@return how to start one, with its output and its errors in one stream} */
  public static ProcessBuilder builder(
      List<String> flags, String classPath, String main, List<String> arguments) {
    List<String> command = JavaCommand.of();
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  /** Starts it, and waits until it prints a line that matches. */
  public static ChildJvm start(ProcessBuilder builder, Pattern ready) throws IOException {
    Process process = builder.start();
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
        return new ChildJvm(process, watchdog, found.group(found.groupCount()));
      }
    }
    watchdog.close();
    throw new IllegalStateException(builder.command() + " did not start:\n" + heard);
  }

  /** {@return the last group of what it printed when it was ready} */
  public String said() {
    return said;
  }

  /** {@return the CPU time that it has used} */
  public Duration cpu() {
    return process
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new IllegalStateException("this system reports no CPU time"));
  }

  @Override
  public void close() {
    watchdog.close();
    Watchdog.kill(process);
  }
}
