package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.Finding;
import dev.sluice.NoQuorumException;
import dev.sluice.lock.PermitInfo;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.connection.Clients;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.Timer;
import dev.sluice.redis.connection.Tls;
import dev.sluice.redis.connection.Uris;
import dev.sluice.redis.doctor.RedisDoctor;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.quorum.Membership;
import dev.sluice.redis.quorum.QuorumLocks;
import dev.sluice.redis.quorum.QuorumScripts;
import dev.sluice.redis.quorum.QuorumUri;
import dev.sluice.redis.quorum.RedisPeer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.Namespace;
import dev.sluice.spi.RenewReply;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Locks on 3, 5, 7 or 9 independent Redis or Valkey masters: a majority decides. With a minority of
 * them dead, stopped or slow everything goes on at the same pace, and fencing tokens are unique and
 * grow in the order of grants without any assumption about clocks.
 *
 * <p>There is no common queue: a waiter polls at random intervals of at most a second, and the
 * nodes wake it earlier. Locks only; limits, filters and caches need one store. Safe for use by
 * many threads.
 *
 * @since 0.1
 */
public final class RedisQuorum implements Backend, GrantBackend {
  private final String describe;
  private final QuorumOptions settings;
  private final KeySpace space;
  private final List<RedisURI> nodes;
  private final RedisClient messages;
  private final List<RedisPeer> peers = new ArrayList<>();
  private final QuorumLocks locks;
  private final Membership membership;
  private final Runnable shutDown;
  private volatile boolean closed;

  private RedisQuorum(
      List<RedisURI> nodes,
      QuorumOptions settings,
      RedisClient commands,
      RedisClient messages,
      Runnable shutDown,
      LongSupplier clockMicros,
      UnaryOperator<String> change) {
    this.nodes = List.copyOf(nodes);
    this.messages = messages;
    this.settings = settings;
    this.shutDown = shutDown;
    String namespace = settings.backend().namespace();
    this.describe = describe(nodes) + Namespace.suffix(namespace);
    this.space = KeySpace.of(namespace);
    QuorumScripts scripts = new QuorumScripts(space, change);
    Timer timer = Timer.of(commands.getResources());
    this.membership = new Membership(describe, settings, timer, clockMicros);
    for (RedisURI node : nodes) {
      peers.add(
          new RedisPeer(
              node,
              commands,
              messages,
              settings.backend().requestTimeout(),
              scripts,
              timer,
              membership));
    }
    membership.of(peers);
    this.locks =
        new QuorumLocks(describe, peers, timer, settings.backend().requestTimeout(), clockMicros);
  }

  private static String describe(List<RedisURI> nodes) {
    return "Redis quorum of "
        + nodes.size()
        + " at "
        + nodes.stream()
            .map(Uris::describe)
            .map(each -> each.replace("Redis at ", ""))
            .collect(Collectors.joining(", "));
  }

  /**
   * Connects.
   *
   * @param uri {@code redis-quorum://[user:password@]host[:port],...[/database][?settings]}, or
   *     {@code rediss-quorum://} with TLS; settings are {@code maxTtl=60s}, {@code durable=true}
   *     and {@code fresh=true}, see {@link QuorumOptions}; {@code namespace}, {@code ca}, {@code
   *     cert} and {@code key} are as in {@link RedisBackendBuilder#uri}
   * @param settings the request timeout, and a namespace, which comes before what the URI says
   * @return an open backend; nodes that did not answer are tried again in the background
   * @throws IllegalArgumentException if the URI does not make sense; the message hides passwords
   * @throws NoQuorumException if no majority of the nodes answers
   */
  public static RedisQuorum connect(String uri, BackendSettings settings) {
    requireNonNull(uri, "uri must not be null");
    requireNonNull(settings, "settings must not be null");
    QuorumUri parsed = QuorumUri.parse(uri, settings);
    return connect(
        parsed.nodes(),
        parsed.settings(),
        Tls.of(uri),
        RedisQuorum::clock,
        UnaryOperator.identity());
  }

  /**
   * Connects. A {@code RedisCredentialsProvider} of a node is asked for each new connection, as in
   * {@link RedisBackendBuilder#server}.
   *
   * @param nodes where the nodes are: 3, 5, 7 or 9
   * @param settings the settings of the quorum
   * @return an open backend
   * @throws IllegalArgumentException if the number of nodes is even, or out of range
   * @throws NoQuorumException if no majority of the nodes answers
   */
  public static RedisQuorum connect(List<RedisURI> nodes, QuorumOptions settings) {
    return connect(nodes, settings, null, RedisQuorum::clock, UnaryOperator.identity());
  }

  static RedisQuorum connect(
      List<RedisURI> nodes,
      QuorumOptions settings,
      @Nullable SslOptions tls,
      LongSupplier clockMicros,
      UnaryOperator<String> change) {
    requireNonNull(settings, "settings must not be null");
    QuorumUri.checkNodes(nodes);
    ClientResources resources = Clients.resources();
    ClientOptions plain = Clients.options(settings.backend()).build();
    ClientOptions options = tls == null ? plain : plain.mutate().sslOptions(tls).build();
    RedisClient commands = RedisClient.create(resources);
    // a connection belongs to one run of its server: see QuorumLink
    commands.setOptions(options.mutate().autoReconnect(false).build());
    RedisClient messages = RedisClient.create(resources);
    messages.setOptions(options);
    Runnable shutDown =
        () -> {
          commands.shutdown(0, 2, TimeUnit.SECONDS);
          messages.shutdown(0, 2, TimeUnit.SECONDS);
          resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        };
    return new RedisQuorum(nodes, settings, commands, messages, shutDown, clockMicros, change)
        .open();
  }

  /**
   * Opens new connections through a client of the application. Closing the backend closes those
   * connections and leaves the client open.
   *
   * @param client the application's client
   * @param nodes where the nodes are: 3, 5, 7 or 9
   * @param settings the settings of the quorum
   * @return an open backend
   * @throws NoQuorumException if no majority of the nodes answers
   */
  public static RedisQuorum over(RedisClient client, List<RedisURI> nodes, QuorumOptions settings) {
    requireNonNull(client, "client must not be null");
    requireNonNull(settings, "settings must not be null");
    QuorumUri.checkNodes(nodes);
    return new RedisQuorum(
            nodes, settings, client, client, () -> {}, RedisQuorum::clock, UnaryOperator.identity())
        .open();
  }

  private static long clock() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private RedisQuorum open() {
    try {
      await(
          CompletableFuture.allOf(
              peers.stream().map(RedisPeer::open).toArray(CompletableFuture[]::new)));
      await(membership.settled());
      List<String> reached =
          peers.stream().filter(peer -> peer.link() != null).map(RedisPeer::describe).toList();
      if (reached.size() < peers.size() / 2 + 1) {
        throw new NoQuorumException(
            describe
                + " cannot be used: "
                + reached.size()
                + " nodes can be reached, "
                + (peers.size() / 2 + 1)
                + " are needed; "
                + peers.stream()
                    .filter(peer -> peer.link() == null)
                    .map(RedisPeer::problem)
                    .collect(Collectors.joining("; ")),
            null);
      }
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The time after which a slow node is not waited for. */
  private void await(CompletableFuture<?> stage) {
    try {
      stage.get(settings.backend().requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return; // a node is slow: it counts as not reached
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NoQuorumException("interrupted while connecting to the " + describe, e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw new NoQuorumException(describe + " cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public String describe() {
    return describe;
  }

  @Override
  public CompletionStage<List<Finding>> diagnose() {
    return closed
        ? CompletableFuture.failedFuture(RedisFailures.closed())
        : RedisDoctor.quorum(
            messages, nodes, space, settings.isDurable(), settings.backend().requestTimeout());
  }

  @Override
  public GrantBackend locks() {
    return this;
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    ScriptRunner.checkClient(request.client());
    Throwable misuse = misuse(request.ttlMicros());
    return misuse != null ? CompletableFuture.failedFuture(misuse) : locks.acquire(request);
  }

  private @Nullable Throwable misuse(long ttlMicros) {
    if (closed) {
      return RedisFailures.closed();
    }
    long longest = settings.maxTtl().toNanos() / 1000;
    return ttlMicros <= longest
        ? null
        : new IllegalArgumentException(
            "ttl must be at most "
                + RedisFailures.shortly(settings.maxTtl())
                + ", the maxTtl of this quorum: "
                + ttlMicros / 1000
                + "ms");
  }

  @Override
  public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    ScriptRunner.checkClient(attempt.client());
    Throwable misuse = misuse(ttlMicros);
    return misuse != null
        ? CompletableFuture.failedFuture(misuse)
        : locks.renew(attempt, ttlMicros);
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    ScriptRunner.checkClient(attempt.client());
    return closed ? CompletableFuture.failedFuture(RedisFailures.closed()) : locks.release(attempt);
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return closed
        ? CompletableFuture.failedFuture(RedisFailures.closed())
        : locks.inspect(name).thenApply(PermitInfo::of);
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return ofMajority(
            peers.stream().map(peer -> peer.names(limit).toCompletableFuture()).toList(), "names")
        .thenApply(
            lists -> {
              Set<String> all = new LinkedHashSet<>();
              lists.forEach(all::addAll);
              return all.stream().limit(limit).toList();
            });
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    ScriptRunner.checkClient(client);
    // a node that is away is listened to when it is back
    return ofMajority(
            peers.stream()
                .map(peer -> peer.listen(client, listener).toCompletableFuture())
                .toList(),
            "listen")
        .thenApply(done -> null);
  }

  /** The combined replies of the nodes, if a majority answered. */
  private <T> CompletableFuture<List<T>> ofMajority(List<CompletableFuture<T>> asked, String verb) {
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .handle(
            (done, failure) -> {
              List<T> answers = new ArrayList<>();
              Throwable last = null;
              for (CompletableFuture<T> each : asked) {
                try {
                  answers.add(each.join());
                } catch (CompletionException e) {
                  last = e.getCause();
                }
              }
              if (answers.size() < peers.size() / 2 + 1) {
                throw new NoQuorumException(
                    describe + ": " + answers.size() + " nodes answered '" + verb + "'", last);
              }
              return answers;
            });
  }

  @Override
  public void unlisten(String client) {
    peers.forEach(peer -> peer.unlisten(client));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    membership.close();
    locks.close();
    await(
        CompletableFuture.allOf(
            peers.stream().map(RedisPeer::close).toArray(CompletableFuture[]::new)));
    shutDown.run();
  }
}
