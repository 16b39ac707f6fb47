package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.redis.ReplicaPolicy;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens Redis Clusters. The driver reads the topology; connections to servers are our own. */
public final class ClusterConnector {
  private ClusterConnector() {}

  /** Connects to a cluster that includes these servers. */
  public static StoreConnection connect(
      List<RedisURI> seeds,
      @Nullable SslOptions tls,
      BackendSettings settings,
      ReplicaPolicy replicas) {
    ClientResources resources = Clients.resources();
    RedisClusterClient client = new RememberingClusterClient(resources, seeds);
    ClientOptions.Builder options = Clients.options(settings);
    if (tls != null) {
      options.sslOptions(tls);
    }
    client.setOptions(
        ClusterClientOptions.builder(options.build()).validateClusterNodeMembership(false).build());
    Runnable shutDown =
        () -> {
          client.shutdown(0, 2, TimeUnit.SECONDS);
          resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        };
    try {
      String describe = describe(seeds) + Namespace.suffix(settings.namespace());
      return open(
          client, seeds.get(0), describe, settings, replicas, shutDown, whyNotStrong(describe));
    } catch (RuntimeException e) {
      shutDown.run();
      throw e;
    }
  }

  /** Connects through a client of the application, and leaves it open. */
  public static StoreConnection over(
      RedisClusterClient client, BackendSettings settings, ReplicaPolicy replicas) {
    return over(client, settings, replicas, whyNotStrong("Redis Cluster"));
  }

  /** A connection to servers whose replies are durable. */
  public static StoreConnection over(
      RedisClusterClient client,
      BackendSettings settings,
      ReplicaPolicy replicas,
      @Nullable String whyNotStrong) {
    return open(
        client,
        null,
        "Redis Cluster" + Namespace.suffix(settings.namespace()),
        settings,
        replicas,
        () -> {},
        whyNotStrong);
  }

  private static String whyNotStrong(String describe) {
    return describe
        + " may forget answered invalidations: a fail-over promotes a replica that may lack them";
  }

  private static String describe(List<RedisURI> seeds) {
    return seeds.stream()
        .map(seed -> seed.getHost() + ":" + seed.getPort())
        .collect(
            Collectors.joining(", ", "Redis Cluster at ", seeds.get(0).isSsl() ? " with TLS" : ""));
  }

  private static StoreConnection open(
      RedisClusterClient client,
      @Nullable RedisURI seed,
      String describe,
      BackendSettings settings,
      ReplicaPolicy replicas,
      Runnable shutDown,
      @Nullable String whyNotStrong) {
    try {
      client.getPartitions();
    } catch (RedisException e) {
      throw new BackendException(describe + " cannot be used: " + Clients.reason(e), e);
    }
    Duration timeout = settings.requestTimeout();
    RedisClient nodes = RedisClient.create(client.getResources());
    nodes.setOptions(client.getOptions());
    Topology topology = new Topology(client, seed);
    return new StoreConnection(
        describe,
        settings,
        runner(describe, topology, nodes, timeout),
        Replicated.isWanted(replicas)
            ? new Replicated(
                describe, runner(describe, topology, nodes, timeout), replicas, timeout)
            : null,
        () -> client.connectPubSubAsync(StringCodec.UTF8).thenApply(connection -> connection),
        true,
        Timer.of(client.getResources()),
        () -> {
          topology.close();
          nodes.shutdown(0, 2, TimeUnit.SECONDS);
          shutDown.run();
        },
        whyNotStrong,
        seed);
  }

  private static ScriptRunner runner(
      String describe, Topology topology, RedisClient nodes, Duration timeout) {
    return new ScriptRunner(
        describe, new ClusterRoute(describe, topology, uri -> open(nodes, uri), timeout));
  }

  private static CompletionStage<StatefulRedisConnection<String, String>> open(
      RedisClient nodes, RedisURI server) {
    return nodes.connectAsync(StringCodec.UTF8, server);
  }
}
