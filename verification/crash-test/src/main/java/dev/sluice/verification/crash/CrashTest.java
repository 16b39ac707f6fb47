package dev.sluice.verification.crash;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.flashsale.desk.Tables;
import dev.sluice.servers.PostgresqlServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One run: servers, sales, kills, and the verdict. */
final class CrashTest implements AutoCloseable {
  /** The configuration of logback in which nothing is logged. */
  static final String QUIET = "logback-quiet.xml";

  private final CrashSettings settings;
  private final Consumer<String> progress;
  private final FallibleRedis redis;
  private final PostgresqlServer postgresql;
  private final HikariDataSource database;
  private final Path log;
  private final Map<String, Integer> kills = new TreeMap<>();

  private CrashTest(CrashSettings settings, Consumer<String> progress) throws IOException {
    this.settings = settings;
    this.progress = progress;
    this.log = Files.createTempFile("sluice-crash-test", ".log");
    this.redis = new FallibleRedis();
    // It is the processes that die here, not the machine: what was written is there without a sync.
    this.postgresql = PostgresqlServer.start("fsync=off", "max_connections=60");
    this.database = SellerMain.database(url());
  }

  /**
   * Runs.
   *
   * @param settings the settings
   * @param progress receives the progress, several times a second
   * @return what came out of it
   */
  static CrashResult run(CrashSettings settings, Consumer<String> progress)
      throws IOException, InterruptedException {
    Logger.getLogger("dev.sluice").setLevel(Level.OFF);
    Logger.getLogger("io.lettuce").setLevel(Level.OFF);
    try (CrashTest test = new CrashTest(settings, progress)) {
      return test.run();
    }
  }

  private String url() {
    return PostgresqlServer.url(postgresql.port(), "postgres")
        + "&connectTimeout=1&socketTimeout=5";
  }

  private CrashResult run() throws IOException, InterruptedException {
    long start = System.nanoTime();
    Tables.create(database);
    SplittableRandom random = new SplittableRandom(settings.seed());
    List<String> violations = new ArrayList<>();
    long[] sums = new long[6];
    int done = 0;
    int sales = 0;
    while (done < settings.kills() && violations.isEmpty()) {
      int now = Math.min(settings.killsPerSale(), settings.kills() - done);
      int before = done;
      try (SaleUnderFire sale =
          new SaleUnderFire(
              settings,
              "crash-" + ++sales,
              redis,
              postgresql,
              url(),
              database,
              random.split(),
              log)) {
        Evidence evidence =
            sale.run(
                now,
                (killed, text) ->
                    progress.accept(
                        (before + killed) + " of " + settings.kills() + " kills, " + text));
        Checker.check(evidence).forEach(violations::add);
        sale.kills().forEach((what, count) -> kills.merge(what, count, Integer::sum));
        sums[0] += sale.admitted();
        sums[1] += evidence.count().paid();
        sums[2] += evidence.count().cancelled();
        sums[3] += evidence.count().rejected();
        sums[4] += sale.restored();
        sums[5] += evidence.answers().stream().filter(answer -> answer.told() == null).count();
      }
      done += now;
    }
    return new CrashResult(
        violations,
        kills,
        sales,
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        sums[4],
        sums[5],
        (System.nanoTime() - start) / 1e9,
        settings.seed());
  }

  @Override
  public void close() throws IOException {
    database.close();
    redis.close();
    postgresql.close();
    Files.deleteIfExists(log);
  }
}
