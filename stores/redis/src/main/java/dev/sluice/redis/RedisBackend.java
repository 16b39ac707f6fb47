package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.redis.connection.ClusterConnector;
import dev.sluice.redis.connection.Connector;
import dev.sluice.redis.connection.LazySubscription;
import dev.sluice.redis.connection.RareCommands;
import dev.sluice.redis.connection.Replicated;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.StoreConnection;
import dev.sluice.redis.doctor.RedisDoctor;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.verbs.RedisBlooms;
import dev.sluice.redis.verbs.RedisCaches;
import dev.sluice.redis.verbs.RedisGrants;
import dev.sluice.redis.verbs.RedisInventories;
import dev.sluice.redis.verbs.RedisLatches;
import dev.sluice.redis.verbs.RedisLimits;
import dev.sluice.redis.verbs.RedisNotes;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.Namespace;
import dev.sluice.spi.NoteBackend;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Sluice on one Redis or Valkey server, on the master that Sentinel names, or on a Redis Cluster.
 * Each verb is one script or one command; the server's clock decides. One connection to each server
 * carries every request, another one, opened when a client first waits for messages, the inbox.
 * With a {@link ReplicaPolicy} there is one more to each server, for what waits for replicas.
 *
 * <p>While the connection is down, calls fail immediately with {@link BackendException}; calls that
 * were under way fail with {@link OutcomeUnknownException} and are not sent again. Reconnecting is
 * Lettuce's. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class RedisBackend implements Backend {
  private final StoreConnection connection;
  private final Supplier<List<Finding>> more;
  private final RedisGrants locks;
  private final RedisGrants permits;
  private final RedisLimits limits;
  private final RedisBlooms blooms;
  private final RedisCaches caches;
  private final RedisLatches latches;
  private final RedisInventories inventories;
  private final RedisNotes notes;

  RedisBackend(StoreConnection connection) {
    this(connection, List::of, UnaryOperator.identity());
  }

  /**
   * The SPI parts over open connections.
   *
   * @param more findings that no server reports
   * @param change what to change in the text of the scripts; tests plant faults and clocks here
   */
  RedisBackend(
      StoreConnection connection, Supplier<List<Finding>> more, UnaryOperator<String> change) {
    this.connection = connection;
    this.more = more;
    ScriptRunner scripts = connection.scripts;
    Replicated replicated = connection.replicated;
    RareCommands rare = connection.rare;
    LazySubscription subscription = connection.subscription;
    KeySpace space = connection.space;
    this.locks = RedisGrants.ofLocks(scripts, replicated, subscription, rare, space, change);
    this.permits = RedisGrants.ofPermits(scripts, replicated, subscription, rare, space, change);
    this.limits = new RedisLimits(scripts, subscription, space, change);
    this.blooms = new RedisBlooms(scripts, space, change);
    this.latches = new RedisLatches(scripts, replicated, subscription, space, change);
    this.inventories = new RedisInventories(scripts, rare, space, change);
    this.notes = new RedisNotes(scripts, space, change);
    this.caches =
        new RedisCaches(scripts, subscription, rare, connection.whyNotStrong, space, change);
  }

  /** Connects by URI. */
  static RedisBackend connect(String uri, BackendSettings settings) {
    requireNonNull(uri, "uri must not be null");
    requireNonNull(settings, "settings must not be null");
    return new RedisBackend(Connector.connect(uri, settings));
  }

  /** Connects through the cluster client of an application. */
  static RedisBackend over(
      RedisClusterClient client, BackendSettings settings, ReplicaPolicy replicas) {
    return new RedisBackend(
        ClusterConnector.over(client, settings, replicas),
        () -> RedisDoctor.refreshSources(client),
        UnaryOperator.identity());
  }

  /** Uses connections of an application. */
  static RedisBackend over(
      StatefulRedisConnection<String, String> commands,
      StatefulRedisPubSubConnection<String, String> inbox,
      BackendSettings settings) {
    return new RedisBackend(
        StoreConnection.over(
            "Redis" + Namespace.suffix(settings.namespace()),
            settings,
            commands,
            () -> CompletableFuture.completedFuture(inbox)));
  }

  /** {@return a builder: a URI, servers, or a client of the application, and the options} */
  public static RedisBackendBuilder builder() {
    return new RedisBackendBuilder();
  }

  @Override
  public String describe() {
    return connection.describe;
  }

  @Override
  public CompletionStage<List<Finding>> diagnose() {
    return RedisDoctor.diagnose(connection)
        .thenApply(
            found -> {
              List<Finding> findings = new ArrayList<>(more.get());
              findings.addAll(found);
              return findings;
            });
  }

  @Override
  public GrantBackend locks() {
    return locks;
  }

  @Override
  public GrantBackend permits() {
    return permits;
  }

  @Override
  public LimitBackend limits() {
    return limits;
  }

  @Override
  public BloomBackend blooms() {
    return blooms;
  }

  @Override
  public CacheBackend caches() {
    return caches;
  }

  @Override
  public LatchBackend latches() {
    return latches;
  }

  @Override
  public InventoryBackend inventories() {
    return inventories;
  }

  @Override
  public NoteBackend notes() {
    return notes;
  }

  /**
   * Fails calls under way with {@link IllegalStateException}, and closes the connections and the
   * client that this backend opened. Idempotent.
   */
  @Override
  public void close() {
    connection.close();
  }
}
