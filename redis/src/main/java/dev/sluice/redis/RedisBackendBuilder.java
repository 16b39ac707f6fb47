package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.spi.BackendSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link RedisBackend}: one place to connect to, and how. Not safe for use by several
 * threads.
 */
public final class RedisBackendBuilder {
  private @Nullable String uri;
  private @Nullable RedisClient client;
  private @Nullable RedisURI target;
  private @Nullable RedisClusterClient cluster;
  private Duration requestTimeout = Duration.ofSeconds(2);
  private @Nullable ReplicaPolicy replicas;

  RedisBackendBuilder() {}

  /**
   * Connects by URI.
   *
   * @param uri as {@link RedisBackend#connect} reads it
   * @return this
   */
  public RedisBackendBuilder uri(String uri) {
    this.uri = requireNonNull(uri, "uri must not be null");
    return this;
  }

  /**
   * Connects through a client that the application has, and leaves it open.
   *
   * @param client the application's client
   * @param target where to
   * @return this
   */
  public RedisBackendBuilder client(RedisClient client, RedisURI target) {
    this.client = requireNonNull(client, "client must not be null");
    this.target = requireNonNull(target, "target must not be null");
    return this;
  }

  /**
   * Connects to a Redis Cluster through a client that the application has, and leaves it open.
   *
   * @param cluster the application's client
   * @return this
   */
  public RedisBackendBuilder cluster(RedisClusterClient cluster) {
    this.cluster = requireNonNull(cluster, "cluster must not be null");
    return this;
  }

  /**
   * Bounds each request; 2 s unless said otherwise.
   *
   * @param longest 1 ms to one day
   * @return this
   */
  public RedisBackendBuilder requestTimeout(Duration longest) {
    this.requestTimeout = new BackendSettings(longest).requestTimeout();
    return this;
  }

  /**
   * Says how many replicas must have a lease before its holder is told; none unless said otherwise.
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
   * @throws IllegalStateException unless exactly one of uri, client and cluster was given
   * @throws IllegalArgumentException if the URI does not make sense; the message hides passwords
   * @throws dev.sluice.BackendException if no Redis answers there, or not to us
   */
  public RedisBackend build() {
    BackendSettings settings = new BackendSettings(requestTimeout);
    int places = (uri == null ? 0 : 1) + (client == null ? 0 : 1) + (cluster == null ? 0 : 1);
    if (places != 1) {
      throw new IllegalStateException("give a uri, a client or a cluster, one of them");
    }
    ReplicaPolicy policy = replicas == null ? ReplicaPolicy.none() : replicas;
    if (cluster != null) {
      return ClusterConnector.over(cluster, settings, policy);
    }
    if (client != null && target != null) {
      return Connector.over(client, target, settings, policy);
    }
    String place = requireNonNull(uri);
    return Connector.connect(
        Uris.withoutReplicas(place),
        settings,
        replicas == null ? Uris.replicas(place) : replicas,
        UnaryOperator.identity());
  }
}
