package dev.sluice.redis.doctor;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.connection.ClusterRoute;
import dev.sluice.redis.connection.Connector;
import dev.sluice.redis.connection.StoreConnection;
import dev.sluice.redis.connection.Tls;
import dev.sluice.redis.connection.Uris;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.quorum.QuorumUri;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import dev.sluice.text.Secrets;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Examines servers concurrently, each over a separate connection. */
public final class RedisDoctor {
  private static final int MAX_CONCURRENT = 16;

  /**
   * One store to examine.
   *
   * @param uri of it alone
   * @param forCluster a cluster, of which any server is named
   * @param member of a quorum
   * @param durable said to keep every answered write
   */
  private record Target(String uri, boolean forCluster, boolean member, boolean durable) {

    void check(Duration timeout) {
      if (forCluster) {
        Uris.parseCluster(uri, timeout);
      } else {
        Uris.parse(uri, timeout);
      }
      Tls.of(uri);
      Uris.replicas(uri);
      Namespace.of(uri);
    }

    String where(Duration timeout) {
      return forCluster ? Secrets.mask(uri) : Uris.describe(Uris.parse(uri, timeout));
    }
  }

  private RedisDoctor() {}

  public static List<Finding> examine(List<String> uris, BackendSettings settings) {
    Duration timeout = settings.requestTimeout();
    List<Target> targets =
        uris.stream().flatMap(uri -> targets(uri, uris.size()).stream()).toList();
    targets.forEach(target -> target.check(timeout)); // all or none
    List<List<NodeFacts>> told = examineAll(targets, settings);
    List<Finding> findings = new ArrayList<>();
    List<NodeFacts> members = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      findings.addAll(NodeChecks.of(targets.get(i).where(timeout), told.get(i), timeout));
      if (targets.get(i).member) {
        members.addAll(told.get(i));
      }
    }
    if (!members.isEmpty()) {
      findings.addAll(QuorumChecks.of(members));
    }
    return findings;
  }

  /** Several plain URIs, and one of a quorum, name the members of a quorum. */
  private static List<Target> targets(String uri, int howMany) {
    int colon = uri.indexOf(':');
    String scheme = uri.substring(0, colon).toLowerCase(Locale.ROOT);
    if (scheme.endsWith("-quorum")) {
      String plain = scheme.substring(0, scheme.indexOf('-')) + uri.substring(colon);
      boolean durable = "true".equals(Tls.parameters(plain).get("durable"));
      return split(QuorumUri.withoutSettings(plain)).stream()
          .map(one -> new Target(one, false, true, durable))
          .toList();
    }
    boolean plain = scheme.equals("redis") || scheme.equals("rediss");
    return List.of(new Target(uri, Uris.isCluster(uri), plain && howMany > 1, false));
  }

  /**
   * Splits {@code redis://user:password@a,b:1/0?x} into {@code redis://user:password@a/0?x} and so
   * on.
   */
  static List<String> split(String uri) {
    int start = uri.indexOf("://") + 3;
    int hosts = uri.lastIndexOf('@') < start ? start : uri.lastIndexOf('@') + 1;
    int end = uri.length();
    for (int i = hosts; i < uri.length(); i++) {
      if ("/?#".indexOf(uri.charAt(i)) >= 0) {
        end = i;
        break;
      }
    }
    String before = uri.substring(0, hosts);
    String after = uri.substring(end);
    return Arrays.stream(uri.substring(hosts, end).split(",", -1))
        .map(host -> before + host.strip() + after)
        .toList();
  }

  private static List<List<NodeFacts>> examineAll(List<Target> targets, BackendSettings settings) {
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(targets.size(), MAX_CONCURRENT),
            task -> {
              Thread thread = new Thread(task, "sluice-doctor");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<CompletableFuture<List<NodeFacts>>> all =
          targets.stream()
              .map(
                  target -> CompletableFuture.supplyAsync(() -> examine(target, settings), threads))
              .toList();
      return all.stream().map(CompletableFuture::join).toList();
    } finally {
      threads.shutdown();
    }
  }

  private static List<NodeFacts> examine(Target target, BackendSettings settings) {
    try (StoreConnection connection = Connector.connect(target.uri, settings)) {
      List<NodeFacts> all = exams(connection).toCompletableFuture().join();
      for (NodeFacts facts : all) {
        facts.saysDurable = target.durable;
        facts.replicasUnasked &= !target.member; // no replica takes a member's place
      }
      return all;
    } catch (BackendException e) {
      return List.of(NodeFacts.unreachable(target.where(settings.requestTimeout()), e));
    }
  }

  /** Examines every server of a store that is in use, each on a separate thread. */
  public static CompletionStage<List<Finding>> diagnose(StoreConnection connection) {
    return exams(connection)
        .thenApply(all -> NodeChecks.of(connection.describe, all, connection.timeout));
  }

  private static CompletionStage<List<NodeFacts>> exams(StoreConnection connection) {
    if (connection.isClosed()) {
      return CompletableFuture.failedFuture(RedisFailures.closed());
    }
    List<CompletableFuture<NodeFacts>> all = new ArrayList<>();
    connection
        .scripts
        .route()
        .nodes()
        .forEach((where, opened) -> all.add(exam(connection, where, opened)));
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .thenApply(ended -> all.stream().map(CompletableFuture::join).toList());
  }

  private static CompletableFuture<NodeFacts> exam(
      StoreConnection store,
      String where,
      CompletionStage<StatefulRedisConnection<String, String>> opened) {
    return store
        .rare
        .bounded(opened, "connect")
        .toCompletableFuture()
        .handleAsync(
            (connection, failure) ->
                connection == null
                    ? NodeFacts.unreachable(where, failure)
                    : new NodeExam(
                            where, connection, store.space, () -> tryInbox(store), store.timeout)
                        .from(store.uri)
                        .forCluster(store.scripts.route() instanceof ClusterRoute)
                        .waitingForReplicas(store.replicated != null)
                        .run(),
            RedisDoctor::onAThread);
  }

  /** Subscribes to a channel that has no sender, and unsubscribes. */
  private static CompletableFuture<Void> tryInbox(StoreConnection store) {
    String nobody = "doctor-" + UUID.randomUUID();
    return store
        .subscription
        .inbox()
        .thenCompose(
            box -> box.listen(nobody, message -> {}).whenComplete((ok, e) -> box.unlisten(nobody)));
  }

  /**
   * {@return the finding about a client that only contacts the configured servers, if it applies}
   */
  public static List<Finding> refreshSources(RedisClusterClient client) {
    return client.getOptions() instanceof ClusterClientOptions options
            && options.getTopologyRefreshOptions().useDynamicRefreshSources()
        ? List.of(
            RedisFinding.REFRESH_SOURCES.at(
                "Redis Cluster", "the application's client asks only the servers it knows"))
        : List.of();
  }

  /**
   * Examines the members of a quorum that is in use, over separate connections.
   *
   * @param client opens them; left open
   * @param space where the keys and channels of the quorum begin
   * @param durable whether the members are said to keep every answered write
   */
  public static CompletionStage<List<Finding>> quorum(
      RedisClient client, List<RedisURI> nodes, KeySpace space, boolean durable, Duration timeout) {
    List<CompletableFuture<NodeFacts>> all =
        nodes.stream().map(node -> member(client, node, space, timeout)).toList();
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            ended -> {
              List<Finding> findings = new ArrayList<>();
              List<NodeFacts> members = all.stream().map(CompletableFuture::join).toList();
              for (NodeFacts member : members) {
                member.saysDurable = durable;
                findings.addAll(NodeChecks.of(member, timeout));
              }
              findings.addAll(QuorumChecks.of(members));
              return findings;
            });
  }

  private static CompletableFuture<NodeFacts> member(
      RedisClient client, RedisURI node, KeySpace space, Duration timeout) {
    String where = Uris.describe(node);
    CompletableFuture<StatefulRedisConnection<String, String>> opened =
        client.connectAsync(StringCodec.UTF8, node).toCompletableFuture();
    return opened
        .copy()
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .handleAsync(
            (connection, failure) -> {
              if (connection == null) {
                opened.thenAccept(StatefulRedisConnection::closeAsync); // it came too late
                return NodeFacts.unreachable(where, failure);
              }
              try (connection) {
                return new NodeExam(
                        where, connection, space, () -> subscribes(client, node, space), timeout)
                    .from(node)
                    .run();
              }
            },
            RedisDoctor::onAThread);
  }

  private static CompletableFuture<Void> subscribes(
      RedisClient client, RedisURI node, KeySpace space) {
    return client
        .connectPubSubAsync(StringCodec.UTF8, node)
        .toCompletableFuture()
        .thenCompose(
            connection ->
                connection
                    .async()
                    .subscribe(space.inbox() + "doctor")
                    .whenComplete((done, failure) -> connection.closeAsync()));
  }

  static void onAThread(Runnable task) {
    Thread thread = new Thread(task, "sluice-doctor");
    thread.setDaemon(true);
    thread.start();
  }
}
