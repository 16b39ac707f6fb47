package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.redis.ReplicaPolicy;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.handler.ssl.NotSslRecordException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Opens Lettuce clients and connections, and says in plain words why that failed. */
public final class Connector {
  private static final Duration FIRST_RECONNECT = Duration.ofMillis(10);
  private static final Duration LAST_RECONNECT = Duration.ofSeconds(1);

  private Connector() {}

  /** Connects, with the policy for replicas that the URI names. */
  public static StoreConnection connect(String uri, BackendSettings settings) {
    return connect(Uris.withoutReplicas(uri), settings, Uris.replicas(uri));
  }

  /** Connects by a URI that says nothing about replicas. */
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
    ClientResources resources = resources();
    RedisClient client = RedisClient.create(resources, target);
    ClientOptions.Builder options = options(settings);
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

  public static ClientResources resources() {
    Loops loops = new Loops();
    return DefaultClientResources.builder()
        .eventLoopGroupProvider(loops)
        .addressResolverGroup(loops.names())
        .computationThreadPoolSize(2)
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .reconnectDelay(Delay.fullJitter(FIRST_RECONNECT, LAST_RECONNECT, 1, TimeUnit.MILLISECONDS))
        .build();
  }

  public static ClientOptions.Builder options(BackendSettings settings) {
    return ClientOptions.builder()
        // what was not sent must not be sent much later
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        // Line watches the time of every call; a timer for each would only race it
        .timeoutOptions(TimeoutOptions.create())
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.requestTimeout())
                .tcpNoDelay(true)
                .build());
  }

  /** Connects through a client of the application, which stays open. */
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
      throw new BackendException(describe + " cannot be used: " + reason(e, uri), e);
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
   * Connects, once more if the connection ended first: what the server said before that, such as
   * that the password is wrong, can be lost in the driver.
   */
  private static StatefulRedisConnection<String, String> connect(RedisClient client, RedisURI uri) {
    try {
      return client.connect(StringCodec.UTF8, uri);
    } catch (RedisConnectionException e) {
      if (!"Connection closed prematurely".equals(innermost(e).getMessage())) {
        throw e;
      }
      return client.connect(StringCodec.UTF8, uri);
    }
  }

  /** The innermost cause says what happened; where its words are no help, ours. */
  public static String reason(Throwable failure, RedisURI uri) {
    Throwable inner = innermost(failure);
    if (uri.isSsl() && inner instanceof RedisCommandTimeoutException) {
      // what a plain Redis makes of a TLS greeting is the first half of a line: it waits for the
      // rest
      return "it does not speak TLS, or it did not answer within " + Uris.shortly(uri.getTimeout());
    }
    return reason(failure);
  }

  private static Throwable innermost(Throwable failure) {
    Throwable inner = failure;
    for (@Nullable Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      inner = cause;
    }
    return inner;
  }

  /** The same where it does not matter what was expected. */
  public static String reason(Throwable failure) {
    Throwable inner = innermost(failure);
    if (inner instanceof NotSslRecordException) {
      return "it does not speak TLS";
    }
    if (String.valueOf(inner.getMessage()).startsWith("NOAUTH")) {
      return "it wants a password, and none was given (NOAUTH)";
    }
    return inner.getMessage() == null ? inner.getClass().getSimpleName() : inner.getMessage();
  }
}
