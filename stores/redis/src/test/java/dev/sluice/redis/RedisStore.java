package dev.sluice.redis;

import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisSentinel;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.Names;
import dev.sluice.testkit.StoreUnderTest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A real server under test: its clock is the world's. */
final class RedisStore implements StoreUnderTest {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(5));

  private final RedisServer server;
  private final RedisURI uri;
  private final RedisClient client;

  RedisStore(RedisServer server) {
    this(server, RedisURI.create(server.uri()));
  }

  private RedisStore(RedisServer server, RedisURI uri) {
    this.server = server;
    this.uri = uri;
    this.client = RedisClient.create();
    server.call("FLUSHALL");
  }

  /** The master that Sentinels watch, the same for all tests of this JVM. Nobody fails over. */
  static RedisStore bySentinel() {
    RedisSentinel watched = Watched.REDIS;
    return new RedisStore(watched.master(), Uris.parse(watched.uri(), SETTINGS.requestTimeout()));
  }

  /** Started once: it takes longer than most tests. It ends with the JVM. */
  private static final class Watched {
    static final RedisSentinel REDIS =
        RedisSentinel.start(RedisBinary.any(), 1, Duration.ofMinutes(5));
  }

  @Override
  public Backend connect() {
    return RedisBackend.over(client, uri, SETTINGS);
  }

  /** A millisecond more, by which the clock of a server may step back. */
  @Override
  public void pass(Duration span) {
    long end = System.nanoTime() + span.plusMillis(1).toNanos();
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void loseData() {
    server.call("FLUSHALL");
  }

  @Override
  public boolean forgetsInTime(String name) {
    long longest = (LockProtocol.RETENTION_MICROS + LockProtocol.MAX_LEAD_MICROS) / 1000;
    for (String part : List.of("lock", "queue", "tickets", "over")) {
      Object left = server.call("PTTL", "sl:{" + Names.encode(name) + "}:" + part);
      if (!(left instanceof Long millis) || millis == -1 || millis > longest) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}
