package dev.sluice.bench.soak;

import dev.sluice.verification.torture.FaultyRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One long run: mixed load, faults, measurements. Ends early, with what it has, when it is {@link
 * #stop stopped}.
 */
public final class Soak {
  private static final Duration MIN_STEP = Duration.ofMillis(250);
  private static final Duration MAX_STEP = Duration.ofSeconds(5);
  private static final int SAMPLES = 360;
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration MAX_GAP = Duration.ofSeconds(6);
  private static final long TICK_MILLIS = 100;

  /** They would log every fault. Referenced here, because the JDK drops unreferenced loggers. */
  private static final List<Logger> QUIET =
      Stream.of("dev.sluice", "io.lettuce", "io.netty").map(Logger::getLogger).toList();

  private final Duration time;
  private final @Nullable String url;
  private final long seed;
  private final Set<PlantedLeak> plants;
  private volatile boolean stopped;

  /**
   * Not begun yet.
   *
   * @param time how long
   * @param url a Redis to use, in which case nothing goes wrong on purpose; null for one of our own
   * @param seed chooses what workers and faults do
   * @param plants leaks of our own making
   */
  public Soak(Duration time, @Nullable String url, long seed, Set<PlantedLeak> plants) {
    this.time = time;
    this.url = url;
    this.seed = seed;
    this.plants = Set.copyOf(plants);
  }

  /** Ends the run at its next step. For other threads. */
  public void stop() {
    stopped = true;
  }

  /**
   * Runs.
   *
   * @param progress gets a line about every second
   * @return the report
   * @throws InterruptedException if the thread is interrupted
   */
  public SoakReport run(Consumer<String> progress) throws InterruptedException {
    QUIET.forEach(logger -> logger.setLevel(Level.OFF));
    if (url != null) {
      return new SoakReport(run(url, url, null, progress));
    }
    try (FaultyRedis faultyRedis = FaultyRedis.start(seed, MAX_GAP)) {
      return new SoakReport(
          run(faultyRedis.uri(), faultyRedis.server().uri(), faultyRedis, progress));
    }
  }

  private SoakOutcome run(
      String uri, String observed, @Nullable FaultyRedis faultyRedis, Consumer<String> progress)
      throws InterruptedException {
    String prefix = "soak-" + Long.toString(System.currentTimeMillis(), 36) + "-";
    LoadCounts counts = new LoadCounts();
    RedisClient client = RedisClient.create(RedisURI.create(observed));
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    try (var connection = client.connect()) {
      connection.setTimeout(Duration.ofSeconds(2));
      RedisCommands<String, String> redis = connection.sync();
      ProcessSampler sampler =
          new ProcessSampler(redis, faultyRedis == null ? "*" + prefix + "*" : "*", counts);
      long from = System.nanoTime();
      try (SoakLoad load = new SoakLoad(uri, prefix, seed, counts);
          Leaks leaks = new Leaks(plants, uri, prefix, redis)) {
        boolean fill = time.compareTo(LONG) >= 0;
        load.begin(fill);
        if (fill && faultyRedis != null) {
          redis.bgrewriteaof(); // or each restart would do all of that again
        }
        if (faultyRedis != null) {
          faultyRedis.begin();
        }
        watch(from, sampler, leaks, counts, faultyRedis, progress);
        counts.close();
        if (faultyRedis != null) {
          faultyRedis.calm();
        }
      }
      if (faultyRedis == null) {
        tidy(redis, prefix);
      }
      Duration took = Duration.ofNanos(System.nanoTime() - from);
      return outcome(took, sampler, counts, faultyRedis);
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  private void watch(
      long from,
      ProcessSampler sampler,
      Leaks leaks,
      LoadCounts counts,
      @Nullable FaultyRedis faultyRedis,
      Consumer<String> progress)
      throws InterruptedException {
    long step = step().toNanos();
    long next = from + step;
    for (int i = 0; !stopped && System.nanoTime() - from < time.toNanos(); i++) {
      TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
      try {
        leaks.tick();
      } catch (RuntimeException e) {
        counts.failed("planted", e);
      }
      if (System.nanoTime() - next >= 0) {
        sampler.sample();
        next += step;
      }
      if (i % 10 == 0) {
        progress.accept(line(from, counts, faultyRedis));
      }
    }
  }

  private Duration step() {
    Duration even = time.dividedBy(SAMPLES);
    if (even.compareTo(MIN_STEP) < 0) {
      return MIN_STEP;
    }
    return even.compareTo(MAX_STEP) > 0 ? MAX_STEP : even;
  }

  private String line(long from, LoadCounts counts, @Nullable FaultyRedis faultyRedis) {
    Duration passed = Duration.ofNanos(System.nanoTime() - from);
    long faults = faultyRedis == null ? 0 : count(faultyRedis.struck());
    return "of %d:%02d: %,d calls, %,d failed, %,d faults, %s"
        .formatted(
            time.toMinutes(),
            time.toSecondsPart(),
            counts.calls(),
            counts.failures(),
            faults,
            counts.broken().isEmpty()
                ? "no promise broken"
                : "BROKEN " + counts.broken().keySet() + " after " + passed.toSeconds() + " s");
  }

  private static long count(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(n -> n).sum();
  }

  /** A server that is not ours keeps nothing of the run. */
  private static void tidy(RedisCommands<String, String> redis, String prefix) {
    ScanArgs args = ScanArgs.Builder.matches("*" + prefix + "*").limit(1000);
    KeyScanCursor<String> cursor = redis.scan(args);
    while (true) {
      if (!cursor.getKeys().isEmpty()) {
        redis.unlink(cursor.getKeys().toArray(String[]::new));
      }
      if (cursor.isFinished()) {
        return;
      }
      cursor = redis.scan(ScanCursor.of(cursor.getCursor()), args);
    }
  }

  private SoakOutcome outcome(
      Duration took, ProcessSampler sampler, LoadCounts counts, @Nullable FaultyRedis faultyRedis) {
    List<String> trouble = new ArrayList<>();
    Throwable failure = faultyRedis == null ? null : faultyRedis.failure();
    if (failure != null) {
      trouble.add("no more faults after " + failure);
    }
    for (String primitive : SoakLoad.PRIMITIVES) {
      if (!counts.callsByPrimitive().containsKey(primitive)) {
        trouble.add("no call of " + primitive + " went well");
      }
    }
    return new SoakOutcome(
        time,
        took,
        sampler.seconds(),
        sampler.series(),
        counts.callsByPrimitive(),
        counts.failuresByKind(),
        counts.messages(),
        faultyRedis == null ? Map.of() : faultyRedis.struck(),
        counts.broken(),
        trouble);
  }
}
