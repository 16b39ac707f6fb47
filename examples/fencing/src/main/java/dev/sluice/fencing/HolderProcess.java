package dev.sluice.fencing;

import static java.util.Objects.requireNonNull;

import dev.sluice.guard.FencingToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Holder} as its director sees it. */
final class HolderProcess {
  private static final Duration MAX_DURATION = Duration.ofSeconds(120);
  private static final String ENDED = "";

  private final Process process;
  private final PrintWriter commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /** The holder's view of the lock at the grant. */
  record Entered(FencingToken token, Duration left, long balance) {}

  private HolderProcess(Process process) {
    this.process = process;
    this.commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "sluice-demo-reader");
    reader.setDaemon(true);
    reader.start();
  }

  static HolderProcess start(Family family, String uri, boolean guarded, Duration ttl)
      throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", // without it, newer JDKs warn of SQLite and Netty
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.util.logging.config.class=java.lang.Object", // the scene prints what happens
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            uri,
            Boolean.toString(guarded),
            Long.toString(ttl.toMillis()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    return new HolderProcess(family.start(builder));
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      answers.add(ENDED);
    }
    answers.add(ENDED);
  }

  void awaitReady() throws InterruptedException {
    answer("ready");
  }

  /** Has it take the lock and read. */
  Entered enter() throws InterruptedException {
    commands.println("enter");
    String[] words = answer("entered ").split(" ");
    return new Entered(
        FencingToken.parse(words[1]),
        Duration.ofMillis(Long.parseLong(words[2])),
        Long.parseLong(words[3]));
  }

  void pause() {
    Family.signal(process, "STOP");
  }

  void resume() {
    Family.signal(process, "CONT");
  }

  /**
   * Has it write.
   *
   * @return {@code wrote BALANCE}, or {@code refused TOKEN HIGHEST}
   */
  String write(long balance) throws InterruptedException {
    commands.println(balance);
    return answer("");
  }

  private String answer(String start) throws InterruptedException {
    String line = answers.poll(MAX_DURATION.toSeconds(), TimeUnit.SECONDS);
    if (line == null || line.equals(ENDED) || !line.startsWith(start)) {
      throw new IllegalStateException(
          line == null
              ? "a process of the demo did not answer within " + MAX_DURATION.toSeconds() + "s"
              : "a process of the demo " + (line.equals(ENDED) ? "ended" : "said " + line));
    }
    return requireNonNull(line);
  }

  /** Lets it end by itself. */
  void end() throws InterruptedException {
    commands.close();
    if (!process.waitFor(MAX_DURATION.toSeconds(), TimeUnit.SECONDS)) {
      throw new UncheckedIOException(new IOException("a process of the demo did not end"));
    }
  }
}
