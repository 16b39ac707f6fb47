package dev.sluice.verification.crash;

import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.servers.JavaCommand;
import dev.sluice.servers.Watchdog;
import dev.sluice.verification.crash.Answer.Verb;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One selling process as the outside sees it: it can be asked, killed and started again. */
final class SellerProcess implements AutoCloseable {
  private static final int CONNECT_MILLIS = 1000;
  private static final int ANSWER_MILLIS = 4000;

  private final Class<? extends SellerMain> program;
  private final List<String> arguments;
  private final Path log;
  private @Nullable Process process;
  private @Nullable Watchdog watchdog;
  private volatile int port;

  SellerProcess(Class<? extends SellerMain> program, List<String> arguments, Path log) {
    this.program = program;
    this.arguments = arguments;
    this.log = log;
  }

  /** Starts it, and waits until it listens. */
  synchronized void start() {
    List<String> command =
        JavaCommand.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m", "-Xshare:auto");
    command.add("-Dlogback.configurationFile=" + CrashTest.QUIET);
    command.addAll(List.of("-cp", classPath(), program.getName()));
    command.addAll(arguments);
    try {
      Process started =
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      process = started;
      watchdog = Watchdog.of(started);
      BufferedReader said =
          new BufferedReader(
              new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
      String line = said.readLine();
      if (line == null) {
        throw new IllegalStateException("a seller did not start, see " + log);
      }
      port = Integer.parseInt(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String classPath() {
    return System.getProperty(
        "surefire.test.class.path", ManagementFactory.getRuntimeMXBean().getClassPath());
  }

  /** {@return whether it listens, as far as we know} */
  boolean isUp() {
    return port != 0;
  }

  /** Ends it immediately, as a crash does. */
  synchronized void kill() {
    port = 0;
    if (watchdog != null) {
      watchdog.close(); // first, so that it never kills a stranger with the same number
      watchdog = null;
    }
    if (process != null) {
      Watchdog.kill(process);
      process = null;
    }
  }

  /** {@return the answer, or null: unknown} */
  @Nullable BuyerReply ask(Verb verb, String buyer, String last) {
    int at = port;
    if (at == 0) {
      pause();
      return null;
    }
    String path = "/" + verb.name().toLowerCase(java.util.Locale.ROOT) + "/" + buyer + "/" + last;
    try {
      HttpURLConnection line =
          (HttpURLConnection) URI.create("http://127.0.0.1:" + at + path).toURL().openConnection();
      line.setConnectTimeout(CONNECT_MILLIS);
      line.setReadTimeout(ANSWER_MILLIS);
      if (line.getResponseCode() != 200) {
        InputStream why = line.getErrorStream();
        if (why != null) {
          why.readAllBytes(); // so that the connection can be used again
        }
        return null;
      }
      byte[] body = line.getInputStream().readAllBytes();
      if (body.length != line.getContentLength()) {
        return null; // killed within its answer
      }
      String[] words = new String(body, StandardCharsets.UTF_8).split(" ", -1);
      return new BuyerReply(BuyerReply.What.valueOf(words[0]), Long.parseLong(words[1]));
    } catch (IOException e) {
      return null;
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    kill();
  }
}
