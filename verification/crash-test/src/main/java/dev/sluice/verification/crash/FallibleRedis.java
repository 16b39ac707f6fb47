package dev.sluice.verification.crash;

import dev.sluice.servers.RedisServer;
import dev.sluice.verification.crash.Evidence.Loss;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Redis that keeps an append-only file, synchronised every second, and loses up to the last
 * second of it when it is killed: what a machine does that loses its power.
 */
final class FallibleRedis implements AutoCloseable {
  private static final long MAX_LOST_NANOS = 1_000_000_000;
  private static final int SAMPLE_MILLIS = 25;

  private final RedisServer server =
      RedisServer.start(
          "--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0");
  private final Deque<Sample> samples = new ArrayDeque<>(); // guarded by itself
  private final ScheduledExecutorService sampler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "crash-aof");
            thread.setDaemon(true);
            return thread;
          });

  private record Sample(long atNanos, long bytes) {}

  FallibleRedis() {
    sampler.scheduleAtFixedRate(this::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
  }

  String uri() {
    return server.uri();
  }

  /** How long the file was: the time is taken before, so that what came later may be lost. */
  private void sample() {
    long now = System.nanoTime();
    try {
      long bytes = Files.size(file());
      synchronized (samples) {
        samples.addLast(new Sample(now, bytes));
        while (now - samples.getFirst().atNanos() > MAX_LOST_NANOS) {
          samples.removeFirst();
        }
      }
    } catch (IOException | IllegalStateException e) {
      // there is none at this moment: the next look finds it
    }
  }

  /** Since Redis 7 the file is one of several in a folder; the last one grows. */
  private Path file() throws IOException {
    Path folder = server.folder().resolve("appendonlydir");
    if (!Files.isDirectory(folder)) {
      return server.folder().resolve("appendonly.aof");
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".incr.aof"))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("no append-only file in " + folder));
    }
  }

  /**
   * Kills it, and cuts off the end of its file.
   *
   * @return what is lost
   */
  Loss kill(SplittableRandom random) {
    server.kill();
    long now = System.nanoTime();
    synchronized (samples) {
      long from = now - random.nextLong(MAX_LOST_NANOS);
      Sample kept = null;
      for (Sample sample : samples) {
        if (kept == null || sample.atNanos() <= from) {
          kept = sample;
        }
      }
      samples.clear();
      if (kept == null) {
        return new Loss(now, now);
      }
      try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
        channel.truncate(Math.min(channel.size(), kept.bytes()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new Loss(kept.atNanos(), now);
    }
  }

  void restart() {
    server.restart();
  }

  @Override
  public void close() {
    sampler.shutdownNow();
    server.close();
  }
}
