package dev.sluice.bench.run;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A redis-server of our own, and what can be asked of it from outside of any measurement. */
public final class Server implements AutoCloseable {
  private final Process process;
  private final int port;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;

  private Server(Process process, int port) {
    this.process = process;
    this.port = port;
    this.client = RedisClient.create(uri(port));
    this.connection = client.connect();
    this.redis = connection.sync();
  }

  /** Starts the redis-server on PATH, on a free port of the loopback, without persistence. */
  public static Server start(Path folder) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process process =
        new ProcessBuilder(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("redis.log").toFile())
            .start();
    try {
      awaitListening(process, port);
      return new Server(process, port);
    } catch (RuntimeException | IOException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static void awaitListening(Process process, int port) throws IOException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (process.isAlive() && System.nanoTime() - until < 0) {
      try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (probe.isConnected()) {
          return;
        }
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
    throw new IOException("redis-server did not start listening on port " + port);
  }

  private static String uri(int port) {
    return "redis://127.0.0.1:" + port;
  }

  /** {@return where clients connect} */
  public String uri() {
    return uri(port);
  }

  /** {@return the server's version} */
  public String version() {
    return redis
        .info("server")
        .lines()
        .filter(line -> line.startsWith("redis_version:"))
        .map(line -> line.substring("redis_version:".length()).trim())
        .findFirst()
        .orElse("unknown");
  }

  /** {@return what the server has counted so far} */
  public Counters counters() {
    return Counters.parse(redis.info("commandstats"), redis.info("cpu"));
  }

  /** {@return all keys that match a pattern} */
  public List<String> keys(String pattern) {
    List<String> keys = new ArrayList<>();
    ScanArgs args = ScanArgs.Builder.matches(pattern).limit(1000);
    KeyScanCursor<String> cursor = redis.scan(args);
    while (true) {
      keys.addAll(cursor.getKeys());
      if (cursor.isFinished()) {
        return keys;
      }
      cursor = redis.scan(ScanCursor.of(cursor.getCursor()), args);
    }
  }

  /** {@return bytes that a key takes, 0 if it is gone} */
  public long bytes(String key) {
    Long bytes = redis.memoryUsage(key);
    return bytes == null ? 0 : bytes;
  }

  /** {@return milliseconds until a key expires; -1: never, -2: it is gone} */
  public long ttlMillis(String key) {
    return redis.pttl(key);
  }

  /** Forgets all keys. */
  public void flush() {
    redis.flushall();
  }

  /** Watches every command that arrives, until closed. Costs the server, so never while timing. */
  Monitor monitor() {
    try {
      return new Monitor(port);
    } catch (IOException e) {
      throw new UncheckedIOException("MONITOR", e);
    }
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 2, TimeUnit.SECONDS);
    kill();
  }

  /** Ends the server at once. Safe to call from a shutdown hook. */
  public void kill() {
    process.destroy();
    try {
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(2, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
