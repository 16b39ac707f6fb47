package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.redis.connection.ClusterConnector;
import dev.sluice.redis.connection.Connector;
import dev.sluice.redis.connection.Uris;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link RedisBackend}: the address, and the options of the connection. Not safe for
 * use by several threads.
 *
 * @since 0.1
 */
public final class RedisBackendBuilder {
  private @Nullable String uri;
  private @Nullable RedisURI server;
  private List<RedisURI> clusterServers = List.of();
  private @Nullable SslOptions tls;
  private @Nullable RedisClient client;
  private @Nullable RedisURI target;
  private @Nullable RedisClusterClient cluster;
  private @Nullable StatefulRedisConnection<String, String> commands;
  private @Nullable StatefulRedisPubSubConnection<String, String> inbox;
  private Duration requestTimeout = Duration.ofSeconds(2);
  private @Nullable ReplicaPolicy replicas;
  private @Nullable String namespace;

  RedisBackendBuilder() {}

  /**
   * Connects by URI.
   *
   * @param uri {@code redis://} or {@code redis-sentinel://}, as Lettuce reads them, or {@code
   *     redis-cluster://host:port,host:port}; with {@code ?replicas=1} or {@code ?replicas=all},
   *     see {@link ReplicaPolicy}. The same schemes with {@code rediss} use TLS: {@code ?ca=FILE}
   *     trusts the authorities in that PEM file in place of the JVM's, and {@code
   *     &cert=FILE&key=FILE} shows a certificate. With {@code ?namespace=shop-staging} all keys and
   *     channels begin with {@code shop-staging:}, see {@link Namespace}
   * @return this
   */
  public RedisBackendBuilder uri(String uri) {
    this.uri = requireNonNull(uri, "uri must not be null");
    return this;
  }

  /**
   * Connects to a {@code RedisURI}, for settings that text cannot express: passwords of Sentinels,
   * or a password that changes. A {@code RedisCredentialsProvider} of the {@code RedisURI} is asked
   * for each new connection; one that {@code supportsStreaming} authenticates the open connections
   * again, without a reconnect, when it emits other credentials.
   *
   * @param server one server, or a master and the Sentinels that name it; the request timeout
   *     becomes its own
   * @return this
   */
  public RedisBackendBuilder server(RedisURI server) {
    this.server = requireNonNull(server, "server must not be null");
    return this;
  }

  /**
   * Connects to a Redis Cluster whose servers are given as {@code RedisURI}s. A {@code
   * RedisCredentialsProvider} of a server is used as in {@link #server}, also for the servers that
   * this one names.
   *
   * @param servers some of its servers, at least one; the request timeout becomes their own
   * @return this
   * @throws IllegalArgumentException if there is none
   */
  public RedisBackendBuilder clusterServers(List<RedisURI> servers) {
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("servers must contain at least one server");
    }
    this.clusterServers = List.copyOf(servers);
    return this;
  }

  /**
   * TLS options of servers given as a {@code RedisURI} (default: the JVM's).
   *
   * @param tls how to greet
   * @return this
   */
  public RedisBackendBuilder tls(SslOptions tls) {
    this.tls = requireNonNull(tls, "tls must not be null");
    return this;
  }

  /**
   * Opens new connections through a client of the application, with that client's options and
   * threads. Closing the backend closes those connections and leaves the client open.
   *
   * @param client the application's client
   * @param target where to
   * @return this
   */
  public RedisBackendBuilder client(RedisClient client, RedisURI target) {
    requireNonNull(client, "client must not be null");
    this.target = requireNonNull(target, "target must not be null");
    this.client = client;
    return this;
  }

  /**
   * Opens new connections to a Redis Cluster through a client of the application, with that
   * client's options, threads and topology. Closing the backend closes those connections and leaves
   * the client open.
   *
   * @param cluster the application's client
   * @return this
   */
  public RedisBackendBuilder cluster(RedisClusterClient cluster) {
    this.cluster = requireNonNull(cluster, "cluster must not be null");
    return this;
  }

  /**
   * Uses connections of the application, beside its own commands. Closing the backend leaves them
   * open. If the one for messages dies without an end, the application has to notice: it is not
   * probed, and until it works again waiting callers find changes by polls.
   *
   * @param commands carries requests
   * @param inbox carries messages; subscribes to {@code sl:inbox:*} channels, in a namespace to
   *     {@code NAMESPACE:sl:inbox:*}
   * @return this
   */
  public RedisBackendBuilder connections(
      StatefulRedisConnection<String, String> commands,
      StatefulRedisPubSubConnection<String, String> inbox) {
    requireNonNull(commands, "commands must not be null");
    this.inbox = requireNonNull(inbox, "inbox must not be null");
    this.commands = commands;
    return this;
  }

  /**
   * Bounds each request (default: 2 s).
   *
   * @param longest 1 ms to one day
   * @return this
   */
  public RedisBackendBuilder requestTimeout(Duration longest) {
    this.requestTimeout = new BackendSettings(longest).requestTimeout();
    return this;
  }

  /**
   * Separates this backend from other data on the servers: its keys and channels begin with the
   * namespace and a colon. Without one they begin with {@code sl:}.
   *
   * @param namespace 1 to 32 lowercase letters, digits and hyphens; comes before what a URI says
   * @return this
   * @throws IllegalArgumentException if it breaks the rule
   */
  public RedisBackendBuilder namespace(String namespace) {
    this.namespace = Namespace.check(namespace);
    return this;
  }

  /**
   * Sets the number of replicas that must confirm a lease before it is granted (default: none).
   *
   * @param policy comes before what a URI says
   * @return this
   */
  public RedisBackendBuilder replicas(ReplicaPolicy policy) {
    this.replicas = requireNonNull(policy, "policy must not be null");
    return this;
  }

  /**
   * Connects.
   *
   * @return an open backend
   * @throws IllegalStateException unless exactly one of uri, server, clusterServers, client,
   *     cluster and connections was given, if tls was given without one of the second and the
   *     third, or replicas with the last
   * @throws IllegalArgumentException if the URI does not make sense; the message hides passwords
   * @throws dev.sluice.BackendException if no Redis answers there, or not to us
   */
  public RedisBackend build() {
    BackendSettings settings = new BackendSettings(requestTimeout, namespace);
    boolean parts = server != null || !clusterServers.isEmpty();
    long places =
        Stream.of(
                uri,
                server,
                clusterServers.isEmpty() ? null : clusterServers,
                client,
                cluster,
                commands)
            .filter(Objects::nonNull)
            .count();
    if (places != 1) {
      throw new IllegalStateException(
          "give a uri, a server, the servers of a cluster, a client, a cluster or connections, one of"
              + " them");
    }
    if (tls != null && !parts) {
      throw new IllegalStateException(
          "tls applies to servers given as RedisURI only: a uri names files, a client has its own");
    }
    if (commands != null && inbox != null) {
      if (replicas != null) {
        throw new IllegalStateException(
            "replicas needs a separate connection: give a client in place of connections");
      }
      return RedisBackend.over(commands, inbox, settings);
    }
    ReplicaPolicy policy = replicas == null ? ReplicaPolicy.none() : replicas;
    if (cluster != null) {
      return RedisBackend.over(cluster, settings, policy);
    }
    if (client != null && target != null) {
      return new RedisBackend(Connector.over(client, target, settings, policy));
    }
    if (server != null) {
      return new RedisBackend(Connector.connect(within(server, settings), tls, settings, policy));
    }
    if (!clusterServers.isEmpty()) {
      return new RedisBackend(
          ClusterConnector.connect(
              clusterServers.stream().map(each -> within(each, settings)).toList(),
              tls,
              settings,
              policy));
    }
    String place = requireNonNull(uri);
    return new RedisBackend(
        Connector.connect(
            Uris.withoutReplicas(place),
            settings,
            replicas == null ? Uris.replicas(place) : replicas));
  }

  private static RedisURI within(RedisURI server, BackendSettings settings) {
    server.setTimeout(settings.requestTimeout());
    return server;
  }
}
