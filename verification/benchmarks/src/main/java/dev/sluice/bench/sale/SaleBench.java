package dev.sluice.bench.sale;

import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Section;
import dev.sluice.servers.PostgresqlServer;
import dev.sluice.servers.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Every way to sell under the same load, and what the limited stock is made of. */
public final class SaleBench {
  /** As the sample calls it. */
  private static final String OURS = "inventory";

  private static final String SHOWN = "sluice inventory";
  private static final List<String> VARIANTS =
      List.of("none", "atomic", "lock", "optimistic", "pessimistic", "conditional", OURS);
  private static final int MAX_UNITS = 1_000_000;

  /** Claims a second that the gate lets pass: what it refuses would count as failed. */
  private static final int NO_LIMIT = 10_000_000;

  private static final Pattern MEASURED =
      Pattern.compile("(?m)^measured: (\\S+) (\\S+) (\\S+) (\\S+)$");

  private final int concurrency;
  private final int requests;
  private final int rounds;
  private final int seconds;
  private final Consumer<String> progress;

  /**
   * A bench.
   *
   * @param concurrency concurrent connections of ab
   * @param requests of ab; half as many units are on offer
   * @param rounds of each variant
   * @param seconds of each run of wrk
   * @param progress receives the progress
   */
  public SaleBench(
      int concurrency, int requests, int rounds, int seconds, Consumer<String> progress) {
    this.concurrency = concurrency;
    this.requests = requests;
    this.rounds = rounds;
    this.seconds = seconds;
    this.progress = progress;
  }

  /** {@return flags of the sample's JVM} */
  public static String jvmFlags() {
    return String.join(" ", Application.FLAGS);
  }

  /**
   * Looks for what a run needs.
   *
   * @param concurrency concurrent connections of ab
   * @return what is not there, and what to do about it
   */
  public static Optional<String> missing(int concurrency) {
    if (System.getProperty(Application.CLASS_PATH) == null) {
      return Optional.of("the sample is not built; start it with ./sluice bench");
    }
    if (!PostgresqlServer.isInstalled()) {
      return Optional.of("no PostgreSQL (Debian: postgresql)");
    }
    return LoadTool.missing(2 * concurrency);
  }

  /** Runs all, on servers that it starts. */
  public List<Section> run() throws IOException, InterruptedException {
    List<Section> sections = new ArrayList<>();
    try (RedisServer redis = RedisServer.start();
        PostgresqlServer postgresql = PostgresqlServer.start()) {
      String url = redis.uri();
      String database = PostgresqlServer.url(postgresql.port(), "postgres");
      try (Application sample =
          Application.start(
              "--url",
              url,
              "--db",
              database,
              "--sale.pay-share=0",
              "--sale.together=" + NO_LIMIT)) {
        warmUp(sample);
        sections.add(variants(sample, url, database));
        sections.add(server(sample));
      }
      sections.addAll(drain(url, database));
    }
    return sections;
  }

  private void warmUp(Application sample) throws IOException, InterruptedException {
    for (String variant : VARIANTS) {
      progress.accept("warming up: " + variant);
      sample.reset(variant, MAX_UNITS);
      LoadTool.wrk(50, variant.equals(OURS) ? 2 * seconds : 3, sample.url("/sale/" + variant));
    }
    LoadTool.wrk(200, seconds, sample.url("/nothing"));
  }

  private Section variants(Application sample, String url, String database)
      throws IOException, InterruptedException {
    Results results = new Results();
    VARIANTS.forEach(variant -> results.announce(shown(variant)));
    for (int round = 0; round < rounds; round++) {
      for (String variant : VARIANTS) {
        progress.accept("ab: " + variant + ", round " + (round + 1) + " of " + rounds);
        sample.reset(variant, requests / 2);
        LoadTool.Reading read = LoadTool.ab(concurrency, requests, sample.url("/sale/" + variant));
        results.add(shown(variant), sample(read, sold(sample, variant), requests / 2));
      }
    }
    String atWork = "lock, 100 ms of work";
    progress.accept("ab: " + atWork);
    try (Application slow =
        Application.start("--url", url, "--db", database, "--sale.work=100ms")) {
      slow.reset("lock", 100);
      LoadTool.Reading read = LoadTool.ab(100, 200, slow.url("/sale/lock"));
      results.add(atWork, sample(read, sold(slow, "lock"), 100));
    }
    List<Goal> goals =
        List.of(
            Goal.atLeast(
                "inventory path, ab's rate", results.of(SHOWN, Metric.OPS), 6000, " requests/s"),
            Goal.atLeast(
                "inventory path against lock per request",
                results.ratio(SHOWN, "lock", Metric.OPS),
                30,
                " x"),
            Goal.atMost(
                "inventory path, failed requests", results.of(SHOWN, Metric.FAILED), 0, ""));
    return new Section(
        "ab",
        "`ab -c " + concurrency + " -n " + requests + "`",
        "Half as many units as requests; Redis and PostgreSQL, one instance; ab, servers and sample"
            + " share the machine. Sold is what the database says. The last line is the articles'"
            + " setting, at `-c 100 -n 200`: with the work under the lock, more would take hours.",
        "lock",
        List.of(
            Metric.OPS,
            Metric.MEDIAN_MILLIS,
            Metric.P99_MILLIS,
            Metric.FAILED,
            Metric.SOLD,
            Metric.OVERSOLD),
        true,
        results,
        goals);
  }

  private static String shown(String variant) {
    return variant.equals(OURS) ? SHOWN : variant;
  }

  private static Sample sample(LoadTool.Reading read, double sold, int stock) {
    return new Sample()
        .put(Metric.OPS, read.perSecond())
        .put(Metric.MEDIAN_MILLIS, read.p50Millis())
        .put(Metric.P99_MILLIS, read.p99Millis())
        .put(Metric.FAILED, read.failed())
        .put(Metric.SOLD, sold)
        .put(Metric.OVERSOLD, Math.max(0, sold - stock));
  }

  /** Orders of the drain may come a moment later. */
  private static double sold(Application sample, String variant)
      throws IOException, InterruptedException {
    double before = -1;
    double now = sample.sold(variant);
    while (now != before) {
      TimeUnit.MILLISECONDS.sleep(500);
      before = now;
      now = sample.sold(variant);
    }
    return now;
  }

  private Section server(Application sample) throws IOException, InterruptedException {
    Results results = new Results();
    String nothing = "nothing";
    String soldOut = "sluice sold out";
    for (int round = 0; round < rounds; round++) {
      progress.accept("wrk, round " + (round + 1) + " of " + rounds);
      results.add(nothing, wrk(sample, "/nothing"));
      sample.reset(OURS, MAX_UNITS);
      results.add(SHOWN, wrk(sample, "/sale/" + OURS));
      sample.reset(OURS, 1);
      results.add(soldOut, wrk(sample, "/sale/" + OURS));
    }
    return new Section(
        "wrk",
        "`wrk -t2 -c200`, connections kept",
        "An endpoint that does nothing, the inventory path with units for all, and with none.",
        nothing,
        List.of(Metric.OPS, Metric.MEDIAN_MILLIS, Metric.P99_MILLIS, Metric.FAILED),
        true,
        results,
        List.of(
            Goal.atLeast(
                "inventory path against a do-nothing endpoint",
                results.ratio(SHOWN, nothing, Metric.OPS),
                0.6,
                " x")));
  }

  private Sample wrk(Application sample, String path) throws IOException, InterruptedException {
    LoadTool.Reading read = LoadTool.wrk(200, seconds, sample.url(path));
    return new Sample()
        .put(Metric.OPS, read.perSecond())
        .put(Metric.MEDIAN_MILLIS, read.p50Millis())
        .put(Metric.P99_MILLIS, read.p99Millis())
        .put(Metric.FAILED, read.failed());
  }

  private List<Section> drain(String url, String database)
      throws IOException, InterruptedException {
    Results rate = new Results();
    Results lag = new Results();
    for (int round = 0; round < rounds; round++) {
      progress.accept("drain, round " + (round + 1) + " of " + rounds);
      Process process =
          Application.java(
                  DrainMeasure.class.getName(),
                  List.of(url, database, "100000", "2000", "" + seconds))
              .start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("the drain was not measured:\n" + text);
      }
      Matcher said = MEASURED.matcher(text);
      if (!said.find()) {
        throw new IllegalStateException("the drain did not say what it measured:\n" + text);
      }
      rate.add("sluice drain", new Sample().put(Metric.OPS, Double.parseDouble(said.group(1))));
      lag.add(
          "sluice drain",
          new Sample()
              .put(Metric.OPS, Double.parseDouble(said.group(2)))
              .put(Metric.MEDIAN_MILLIS, Double.parseDouble(said.group(3)))
              .put(Metric.P99_MILLIS, Double.parseDouble(said.group(4))));
    }
    return List.of(
        new Section(
            "drain",
            "Durable orders",
            "100,000 claims wait in Redis; one consumer writes them to PostgreSQL, which syncs"
                + " every commit.",
            "",
            List.of(Metric.OPS),
            true,
            rate,
            List.of(
                Goal.atLeast(
                    "durable orders", rate.of("sluice drain", Metric.OPS), 20_000, " /s"))),
        new Section(
            "lag",
            "From claim to durable order",
            "2,000 claims a second; the time from sending the claim to the commit of its order.",
            "",
            List.of(Metric.OPS, Metric.MEDIAN_MILLIS, Metric.P99_MILLIS),
            false,
            lag,
            List.of(
                Goal.atMost(
                    "claim to durable order, p99",
                    lag.of("sluice drain", Metric.P99_MILLIS),
                    250,
                    " ms"))));
  }
}
