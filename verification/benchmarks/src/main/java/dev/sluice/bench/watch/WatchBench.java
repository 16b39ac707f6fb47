package dev.sluice.bench.watch;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.ChildJvm;
import dev.sluice.servers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Two equal processes, one of which reports, and a console, all on one Redis: CPU time of each
 * without watchers, and while pages are open.
 */
public final class WatchBench {
  private static final List<String> FLAGS = List.of("-Xms64m", "-Xmx256m");

  private static final String PLAIN = "process without a reporter";
  private static final String UNWATCHED = "process, no watchers";
  private static final String BESIDE = "process without a reporter, beside the next";
  private static final String WATCHED = "process, watched";
  private static final String IDLE = "console, no watchers";
  private static final String ONE = "console, one page";
  private static final String MANY = "console, eight pages";
  private static final List<String> ROWS =
      List.of(PLAIN, UNWATCHED, BESIDE, WATCHED, IDLE, ONE, MANY);
  private static final int PAGES = 8;

  /** Lead-ins until a process that has started compiles no more. */
  private static final int START = 6;

  /** The same once pages are open, for what happens once a second. */
  private static final int WARM = 4;

  private final int rounds;
  private final Duration leadIn;
  private final Duration window;
  private final Consumer<String> progress;

  /**
   * A bench.
   *
   * @param rounds with fresh processes each
   * @param leadIn time before a measurement, several of it where code has to be compiled first
   * @param window length of each measurement
   * @param progress receives the progress
   */
  public WatchBench(int rounds, Duration leadIn, Duration window, Consumer<String> progress) {
    this.rounds = rounds;
    this.leadIn = leadIn;
    this.window = window;
    this.progress = progress;
  }

  /** {@return flags of the measured JVMs} */
  public static String jvmFlags() {
    return String.join(" ", FLAGS);
  }

  /** Runs all, on a server that it starts. */
  public List<Section> run() throws IOException, InterruptedException {
    Results results = new Results();
    ROWS.forEach(results::announce);
    try (RedisServer redis = RedisServer.start()) {
      for (int i = 1; i <= rounds; i++) {
        round("round " + i + " of " + rounds + ": ", redis.uri(), results);
      }
    }
    return List.of(
        new Section(
            "watched",
            "CPU time of what is watched, and of the console",
            "Each process holds 20 locks and asks 10 limits about 90 times a second, on one Redis;"
                + " one of two does not report, and is measured beside the one that does."
                + " CPU time by the system's own count, over windows of "
                + window.toSeconds()
                + " s.",
            "",
            List.of(Metric.CLIENT_CPU_SHARE),
            false,
            results,
            List.of(
                Goal.atMost(
                    "What it costs a process without watchers, of a core",
                    results.difference(UNWATCHED, PLAIN, Metric.CLIENT_CPU_SHARE),
                    0.001,
                    ""),
                Goal.atMost(
                    "What it costs a process to be watched, of a core",
                    results.difference(WATCHED, BESIDE, Metric.CLIENT_CPU_SHARE),
                    0.01,
                    ""),
                Goal.atMost(
                    "The console with one page open, of a core",
                    results.of(ONE, Metric.CLIENT_CPU_SHARE),
                    0.01,
                    ""))));
  }

  private void round(String which, String url, Results results)
      throws IOException, InterruptedException {
    Pattern ready = Pattern.compile("^" + Busy.READY + "$");
    try (ChildJvm plain = start(ready, Busy.class.getName(), url);
        ChildJvm reporting = start(ready, Busy.class.getName(), url, "bench");
        ChildJvm console =
            start(Pattern.compile("http://\\S+"), WatchedConsole.class.getName(), url)) {
      progress.accept(which + "no watchers");
      measure(results, START, List.of(plain, reporting, console), PLAIN, UNWATCHED, IDLE);
      try (Pages pages = new Pages(console.said())) {
        progress.accept(which + "one page is open");
        pages.open(1);
        measure(results, WARM, List.of(plain, reporting, console), BESIDE, WATCHED, ONE);
        progress.accept(which + PAGES + " pages are open");
        pages.open(PAGES - 1);
        measure(results, 1, List.of(console), MANY);
      }
    }
  }

  private static ChildJvm start(Pattern ready, String main, String... arguments)
      throws IOException {
    String classPath = System.getProperty("java.class.path");
    return ChildJvm.start(ChildJvm.builder(FLAGS, classPath, main, List.of(arguments)), ready);
  }

  private void measure(Results results, int leadIns, List<ChildJvm> children, String... rows)
      throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(leadIns * leadIn.toNanos());
    long began = System.nanoTime();
    List<Duration> before = children.stream().map(ChildJvm::cpu).toList();
    TimeUnit.NANOSECONDS.sleep(window.toNanos());
    List<Duration> after = children.stream().map(ChildJvm::cpu).toList();
    double nanos = System.nanoTime() - began;
    for (int i = 0; i < rows.length; i++) {
      double used = after.get(i).minus(before.get(i)).toNanos();
      results.add(rows[i], new Sample().put(Metric.CLIENT_CPU_SHARE, used / nanos));
    }
  }

  /** Open pages, as a browser keeps them: streams that are read as they come. */
  private static final class Pages implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI console;
    private final String token;
    private final List<InputStream> streams = new ArrayList<>();

    Pages(String url) {
      this.console = URI.create(url);
      this.token = console.getFragment().substring("token=".length());
    }

    void open(int count) throws IOException, InterruptedException {
      for (int i = 0; i < count; i++) {
        HttpResponse<InputStream> answer =
            http.send(
                HttpRequest.newBuilder(console.resolve("api/stream?page=overview"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        if (answer.statusCode() != 200) {
          throw new IllegalStateException("the console answered " + answer.statusCode());
        }
        streams.add(answer.body());
        Thread reader = new Thread(() -> drain(answer.body()), "bench-page");
        reader.setDaemon(true);
        reader.start();
      }
    }

    private static void drain(InputStream stream) {
      try {
        stream.transferTo(OutputStream.nullOutputStream());
      } catch (IOException e) {
        return; // the page was closed
      }
    }

    @Override
    public void close() throws IOException {
      for (InputStream stream : streams) {
        stream.close();
      }
    }
  }
}
