package dev.sluice.bench.run;

import static java.util.Objects.requireNonNull;

import dev.sluice.bench.systems.Candidate;
import dev.sluice.servers.JavaCommand;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The controlling side of one {@link Worker}. Not safe for use by several threads. */
final class WorkerProcess {
  private static final List<String> OPEN_PACKAGES =
      List.of("--add-opens=java.base/java.lang=ALL-UNNAMED");

  private final String name;
  private final Process process;
  private final Path log;
  private final ObjectOutputStream jobs;
  private final LinkedBlockingQueue<Worker.Reply> replies = new LinkedBlockingQueue<>();

  WorkerProcess(
      String name,
      Candidate candidate,
      String uri,
      Duration ttl,
      Path folder,
      List<String> jvmFlags)
      throws IOException {
    this.name = name;
    this.log = folder.resolve(name + ".log");
    List<String> command = JavaCommand.of();
    command.addAll(jvmFlags);
    command.addAll(OPEN_PACKAGES);
    command.add("-cp");
    command.add(ManagementFactory.getRuntimeMXBean().getClassPath());
    command.add(Worker.class.getName());
    command.add(uri);
    command.add(Long.toString(ttl.toMillis()));
    this.process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    this.jobs = new ObjectOutputStream(process.getOutputStream());
    jobs.writeObject(candidate);
    jobs.flush();
    Thread reader = new Thread(this::read, "bench-replies-" + name);
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (InputStream out = new BufferedInputStream(process.getInputStream())) {
      skipTo(Worker.READY, out);
      ObjectInputStream in = new ObjectInputStream(out);
      while (true) {
        replies.add((Worker.Reply) in.readObject());
      }
    } catch (IOException | ClassNotFoundException e) {
      replies.add(new Worker.Reply(null, "process ended (" + e + ")" + lastWords()));
    }
  }

  private static void skipTo(String line, InputStream out) throws IOException {
    StringBuilder seen = new StringBuilder();
    while (!seen.toString().equals(line)) {
      seen.setLength(0);
      int next;
      while ((next = out.read()) != '\n') {
        if (next < 0) {
          throw new EOFException();
        }
        seen.append((char) next);
      }
    }
  }

  private String lastWords() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n  ", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    } catch (IOException e) {
      return "";
    }
  }

  void send(Job<?> job) {
    try {
      jobs.writeObject(job);
      jobs.flush();
    } catch (IOException e) {
      throw new IllegalStateException(name + ": process has ended" + lastWords(), e);
    }
  }

  @SuppressWarnings("unchecked")
  <T> T receive(Duration patience) throws InterruptedException {
    Worker.Reply reply = replies.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (reply == null) {
      throw new IllegalStateException(
          name + ": no answer within " + patience.toSeconds() + "s" + lastWords());
    }
    if (reply.failure() != null) {
      throw new IllegalStateException(name + ": " + reply.failure());
    }
    return (T) requireNonNull(reply.result());
  }

  /** Asks the process to end. */
  void dismiss() {
    try {
      jobs.close();
    } catch (IOException e) {
      process.destroyForcibly(); // it has ended or does not read
    }
  }

  void kill() {
    process.destroyForcibly();
  }

  /** Waits for the end of a dismissed process, and ends it if it does not. */
  void awaitEnd() throws InterruptedException {
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }
}
