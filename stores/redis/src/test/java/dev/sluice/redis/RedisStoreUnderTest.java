package dev.sluice.redis;

import dev.sluice.SluiceBuilder;
import dev.sluice.redis.connection.Connector;
import dev.sluice.redis.connection.Uris;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.servers.ClockShim;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisSentinel;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.HeldTime;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.text.Names;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A real server under test: its clock is held where it can be, or the world's. */
public final class RedisStoreUnderTest implements StoreUnderTest {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));
  private static final String FORGET =
      "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('UNLINK', key) end";

  private final RedisServer server;
  private final RedisURI uri;
  private final RedisClient client;
  private final ReplicaPolicy replicas;
  private final @Nullable String namespace;
  private final @Nullable HeldTime time;

  public RedisStoreUnderTest(RedisServer server) {
    this(server, RedisURI.create(server.uri()), ReplicaPolicy.none(), null, server.clock());
  }

  private RedisStoreUnderTest(
      RedisServer server,
      RedisURI uri,
      ReplicaPolicy replicas,
      @Nullable String namespace,
      Optional<ClockShim> clock) {
    this.server = server;
    this.uri = uri;
    this.replicas = replicas;
    this.namespace = namespace;
    this.client = RedisClient.create();
    loseData();
    this.time = clock.map(held -> new HeldTime(held::hold)).orElse(null);
  }

  /**
   * A store on the world's clock: for caches, which reckon its time from the JVM's, and for
   * filters, whose generations are told apart by its microseconds.
   */
  public static RedisStoreUnderTest inRealTime(RedisServer server) {
    return new RedisStoreUnderTest(
        server, RedisURI.create(server.uri()), ReplicaPolicy.none(), null, Optional.empty());
  }

  /** One namespace of a server, whose other data stays as it is. */
  static RedisStoreUnderTest inNamespace(RedisServer server, String namespace) {
    return new RedisStoreUnderTest(
        server, RedisURI.create(server.uri()), ReplicaPolicy.none(), namespace, Optional.empty());
  }

  /** The master that Sentinels watch, the same for all tests of this JVM. Nobody fails over. */
  public static RedisStoreUnderTest bySentinel() {
    RedisSentinel watched = Watched.REDIS;
    return new RedisStoreUnderTest(
        watched.master(),
        Uris.parse(watched.uri(), SETTINGS.requestTimeout()),
        ReplicaPolicy.none(),
        null,
        Optional.empty());
  }

  /** The same server, whose replica must confirm each grant and each count-down. */
  public static RedisStoreUnderTest whoseReplicasConfirm() {
    RedisServer master = Watched.REDIS.master();
    return new RedisStoreUnderTest(
        master,
        RedisURI.create(master.uri()),
        ReplicaPolicy.all().timeout(Duration.ofSeconds(2)),
        null,
        Optional.empty());
  }

  /** Started once: it takes longer than most tests. It ends with the JVM. */
  private static final class Watched {
    static final RedisSentinel REDIS =
        RedisSentinel.start(RedisBinary.any(), 1, Duration.ofMinutes(5));
  }

  @Override
  public Backend connect() {
    BackendSettings settings = new BackendSettings(SETTINGS.requestTimeout(), namespace);
    Backend backend = new RedisBackend(Connector.over(client, uri, settings, replicas));
    return time == null ? backend : time.watched(backend);
  }

  @Override
  public void configure(SluiceBuilder builder) {
    if (time != null) {
      time.configure(builder);
    }
  }

  @Override
  public long nanos() {
    return time == null ? System.nanoTime() : time.nanos();
  }

  @Override
  public void pass(Duration span) {
    if (time != null) {
      time.pass(span);
      return;
    }
    StoreUnderTest.super.pass(span);
  }

  @Override
  public void loseData() {
    if (namespace == null) {
      server.call("FLUSHALL");
    } else {
      server.call("EVAL", FORGET, "0", namespace + ":*");
    }
  }

  @Override
  public boolean forgetsInTime(String name) {
    long longest = (LockProtocol.RETENTION_MICROS + LockProtocol.MAX_LEAD_MICROS) / 1000;
    for (String part : List.of("lock", "queue", "tickets", "over")) {
      String key = KeySpace.of(namespace).open() + Names.encode(name) + "}:" + part;
      Object left = server.call("PTTL", key);
      if (!(left instanceof Long millis) || millis == -1 || millis > longest) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    if (time != null) {
      time.close();
      server.clock().orElseThrow().set(Duration.ZERO); // it runs again
    }
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}
