package dev.sluice.redis.verbs;

import dev.sluice.servers.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The controlling side of one {@link LimitWorker}. Not safe for use by several threads. */
final class LimitProcess implements AutoCloseable {
  private final Process process;
  private final PrintWriter orders;
  private final BufferedReader answers;
  private String client = "";

  LimitProcess(String uri) {
    String path =
        System.getProperty(
            "surefire.test.class.path", ManagementFactory.getRuntimeMXBean().getClassPath());
    List<String> command =
        JavaCommand.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp", path);
    command.addAll(List.of(LimitWorker.class.getName(), uri));
    try {
      this.process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Waits until it is connected. */
  void awaitReady() {
    client = answer("ready", line -> {});
  }

  /** {@return the id by which the store knows it} */
  String client() {
    return client;
  }

  void order(String line) {
    orders.println(line);
  }

  /**
   * Reads up to a line with this first word.
   *
   * @param others gets the lines before it
   * @return the rest of the line
   */
  String answer(String word, Consumer<String> others) {
    try {
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        if (line.startsWith(word + " ")) {
          return line.substring(word.length() + 1);
        }
        others.accept(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException("the process ended before it said '" + word + "'");
  }

  String answer(String word) {
    return answer(word, line -> {});
  }

  /** Ends the process: its input ends, and if that is not enough, it is killed. */
  @Override
  public void close() {
    orders.close();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
