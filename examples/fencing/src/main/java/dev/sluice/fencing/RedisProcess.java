package dev.sluice.fencing;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server of the demo's own, on a free port of the loopback interface, that keeps nothing. */
final class RedisProcess implements AutoCloseable {
  private static final long MAX_START_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int PORTS_TO_TRY = 3;

  final String uri;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  private RedisProcess(
      String uri, RedisClient client, StatefulRedisConnection<String, String> connection) {
    this.uri = uri;
    this.client = client;
    this.connection = connection;
  }

  /** Another process may take the free port before the server does. */
  static RedisProcess start(Family family, Path program) throws IOException, InterruptedException {
    for (int tries = 0; tries < PORTS_TO_TRY; tries++) {
      RedisProcess started = startOnce(family, program);
      if (started != null) {
        return started;
      }
    }
    throw new IOException(program + " ended while it started");
  }

  /** {@return null if the server ended} */
  private static @Nullable RedisProcess startOnce(Family family, Path program)
      throws IOException, InterruptedException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    List<String> command =
        List.of(
            program.toString(),
            "--port",
            "" + port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no");
    Process server =
        family.start(
            new ProcessBuilder(command)
                .directory(Path.of(System.getProperty("java.io.tmpdir")).toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD));
    String uri = "redis://127.0.0.1:" + port;
    RedisClient client = RedisClient.create(uri);
    long start = System.nanoTime();
    while (true) {
      try {
        return new RedisProcess(uri, client, client.connect());
      } catch (RedisException e) {
        if (!server.isAlive()) {
          client.shutdown();
          return null;
        }
        if (System.nanoTime() - start > MAX_START_NANOS) {
          client.shutdown();
          throw new IOException(program + " did not start on port " + port, e);
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  void set(String key, long number) {
    connection.sync().set(key, Long.toString(number));
  }

  long get(String key) {
    return Long.parseLong(connection.sync().get(key));
  }

  void clear() {
    connection.sync().flushall();
  }

  @Override
  public void close() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}
