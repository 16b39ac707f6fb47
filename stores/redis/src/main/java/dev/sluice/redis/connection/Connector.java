package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.redis.ReplicaPolicy;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Opens connections to one server, or to the master that Sentinels name. */
public final class Connector {
  /** The driver's message for a connection that ended before the server's reply was read. */
  private static final Set<String> ENDED_EARLY =
      Set.of("Connection closed prematurely", "RedisHandshakeHandler not registered");

  private static final String TIMED_OUT = "Connection initialization timed out";

  private Connector() {}

  /** Connects, with the replica policy of the URI. */
  public static StoreConnection connect(String uri, BackendSettings settings) {
    return connect(Uris.withoutReplicas(uri), settings, Uris.replicas(uri));
  }

  /** Connects with a URI without options about replicas. */
  public static StoreConnection connect(
      String uri, BackendSettings defaults, ReplicaPolicy replicas) {
    BackendSettings settings = defaults.forUri(uri);
    if (Uris.isCluster(uri)) {
      return ClusterConnector.connect(
          Uris.parseCluster(uri, settings.requestTimeout()), Tls.of(uri), settings, replicas);
    }
    return connect(Uris.parse(uri, settings.requestTimeout()), Tls.of(uri), settings, replicas);
  }

  /** Connects to a server, or to the master that Sentinels name. */
  public static StoreConnection connect(
      RedisURI target, @Nullable SslOptions tls, BackendSettings settings, ReplicaPolicy replicas) {
    ClientResources resources = Clients.resources();
    RedisClient client = RedisClient.create(resources, target);
    ClientOptions.Builder options = Clients.options(settings);
    client.setOptions(tls == null ? options.build() : options.sslOptions(tls).build());
    Runnable shutDown =
        () -> {
          client.shutdown(0, 2, TimeUnit.SECONDS);
          resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        };
    try {
      return open(client, target, settings, replicas, shutDown);
    } catch (RuntimeException e) {
      shutDown.run();
      throw e;
    }
  }

  /** Connects through a client of the application, and leaves it open. */
  public static StoreConnection over(
      RedisClient client, RedisURI uri, BackendSettings settings, ReplicaPolicy replicas) {
    return open(client, uri, settings, replicas, () -> {});
  }

  private static StoreConnection open(
      RedisClient client,
      RedisURI uri,
      BackendSettings settings,
      ReplicaPolicy replicas,
      Runnable shutDown) {
    String describe = Uris.describe(uri) + Namespace.suffix(settings.namespace());
    Duration timeout = settings.requestTimeout();
    ScriptRunner commands;
    Replicated replicated = null;
    try {
      commands = new ScriptRunner(describe, connect(client, uri), true, timeout);
      if (Replicated.isWanted(replicas)) {
        replicated =
            new Replicated(
                describe,
                new ScriptRunner(describe, connect(client, uri), true, timeout),
                replicas,
                timeout);
      }
    } catch (RedisException e) {
      throw new BackendException(describe + " cannot be used: " + Clients.reason(e, uri), e);
    }
    return new StoreConnection(
        describe,
        settings,
        commands,
        replicated,
        () -> client.connectPubSubAsync(StringCodec.UTF8, uri),
        true,
        Timer.of(client.getResources()),
        shutDown,
        Uris.whyNotStrong(uri),
        uri);
  }

  /**
   * Connects. Tries a second time if the connection ended first, since the driver can lose the
   * answer of the server, such as that the password is wrong; and if the first try timed out, since
   * a JVM that has just started can need longer than the timeout to load the driver.
   */
  private static StatefulRedisConnection<String, String> connect(RedisClient client, RedisURI uri) {
    try {
      return client.connect(StringCodec.UTF8, uri);
    } catch (RedisConnectionException e) {
      String why = String.valueOf(Clients.innermost(e).getMessage());
      if (!ENDED_EARLY.contains(why) && !why.startsWith(TIMED_OUT)) {
        throw e;
      }
      return client.connect(StringCodec.UTF8, uri);
    }
  }
}
