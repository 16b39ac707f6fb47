package dev.sluice.redis;

import dev.sluice.BackendException;
import dev.sluice.Finding;
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
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens Redis Clusters. The driver reads the topology; connections to servers are our own. */
final class ClusterConnector {
  private ClusterConnector() {}

  static RedisBackend connect(
      List<RedisURI> seeds,
      @Nullable SslOptions tls,
      BackendSettings settings,
      ReplicaPolicy replicas,
      UnaryOperator<String> change) {
    ClientResources resources = Connector.resources();
    RedisClusterClient client = new RememberingClusterClient(resources, seeds);
    ClientOptions.Builder options = Connector.options(settings);
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
              client,
              seeds.get(0),
              describe,
              settings,
              replicas,
              shutDown,
              whyNotStrong(describe),
              change)
          .at(seeds.get(0));
    } catch (RuntimeException e) {
      shutDown.run();
      throw e;
    }
  }

  static RedisBackend over(
      RedisClusterClient client, BackendSettings settings, ReplicaPolicy replicas) {
    return over(client, settings, replicas, whyNotStrong("Redis Cluster"));
  }

  /** The same where the answers of the servers are known to last. */
  static RedisBackend over(
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
            whyNotStrong,
            UnaryOperator.identity())
        .alsoFinding(() -> forgets(client));
  }

  /** What the doctor says about an application's client. */
  private static List<Finding> forgets(RedisClusterClient client) {
    return client.getOptions() instanceof ClusterClientOptions options
            && options.getTopologyRefreshOptions().useDynamicRefreshSources()
        ? List.of(
            RedisFinding.REFRESH_SOURCES.at(
                "Redis Cluster", "the application's client asks only the servers it knows"))
        : List.of();
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

  private static RedisBackend open(
      RedisClusterClient client,
      @Nullable RedisURI seed,
      String describe,
      BackendSettings settings,
      ReplicaPolicy replicas,
      Runnable shutDown,
      @Nullable String whyNotStrong,
      UnaryOperator<String> change) {
    try {
      client.getPartitions();
    } catch (RedisException e) {
      throw new BackendException(describe + " cannot be used: " + Connector.reason(e), e);
    }
    Duration timeout = settings.requestTimeout();
    RedisClient nodes = RedisClient.create(client.getResources());
    nodes.setOptions(client.getOptions());
    Topology topology = new Topology(client, seed);
    return new RedisBackend(
        describe,
        settings,
        runner(describe, topology, nodes, timeout),
        replicas.isNone()
            ? null
            : new Replicated(
                describe, runner(describe, topology, nodes, timeout), replicas, timeout),
        () -> client.connectPubSubAsync(StringCodec.UTF8).thenApply(connection -> connection),
        true,
        Timer.of(client.getResources()),
        () -> {
          topology.close();
          nodes.shutdown(0, 2, TimeUnit.SECONDS);
          shutDown.run();
        },
        whyNotStrong,
        change);
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
