package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LockBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.Names;
import dev.sluice.spi.NoteBackend;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.RenewReply;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Sluice on one Redis or Valkey server, on the master that Sentinel names, or on a Redis Cluster.
 * Each verb is one script or one command; the server's clock decides. One connection to each server
 * carries every request, another one, opened when somebody first waits for messages, the inbox.
 * With a {@link ReplicaPolicy} there is one more to each server, for what waits for replicas.
 *
 * <p>While the connection is down, calls fail at once with {@link BackendException}; calls that
 * were under way fail with {@link OutcomeUnknownException} and are not sent again. Reconnecting is
 * Lettuce's. Safe for use by many threads.
 */
public final class RedisBackend implements Backend, LockBackend {
  private final String describe;
  private @Nullable RedisURI uri; // written before anybody else sees this
  private final Duration timeout;
  private final ScriptRunner scripts;

  /** For grants that replicas must have; null if none is waited for. */
  private final @Nullable Replicated replicated;

  private final Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> subscriber;
  private final Runnable disconnect;
  private final LockKeys keys = LockKeys.ofLocks();
  private final RedisPermits permits;
  private final RedisLimits limits;
  private final RedisBlooms blooms;
  private final RedisCaches caches;
  private final RedisLatches latches;
  private final RedisInventories inventories;
  private final RedisNotes notes;
  private final Script acquire;
  private final Script renew;
  private final Script release;
  private final Script releaseAfter;
  private final Script force;
  private final Script inspect;
  // guarded by this
  private @Nullable CompletableFuture<Inbox> inbox;
  private volatile boolean closed;

  RedisBackend(
      String describe,
      BackendSettings settings,
      StatefulRedisConnection<String, String> connection,
      Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> subscriber,
      @Nullable Runnable disconnect,
      @Nullable String whyNotStrong,
      UnaryOperator<String> change) {
    this(
        describe,
        settings,
        new ScriptRunner(describe, connection, disconnect != null, settings.requestTimeout()),
        null,
        subscriber,
        disconnect == null ? () -> {} : disconnect,
        whyNotStrong,
        change);
  }

  RedisBackend(
      String describe,
      BackendSettings settings,
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> subscriber,
      Runnable disconnect,
      @Nullable String whyNotStrong,
      UnaryOperator<String> change) {
    this.describe = describe;
    this.timeout = settings.requestTimeout();
    this.subscriber = subscriber;
    this.disconnect = disconnect;
    this.acquire = Script.load("acquire", change);
    this.renew = Script.load("renew", change);
    this.release = Script.load("release", change);
    this.releaseAfter = Script.load("release_after", change);
    this.force = Script.load("force", change);
    this.inspect = Script.load("inspect", change);
    this.scripts = scripts;
    this.permits = new RedisPermits(this, scripts, change);
    this.replicated = replicated;
    this.limits = new RedisLimits(this, scripts, change);
    this.blooms = new RedisBlooms(scripts, change);
    this.latches = new RedisLatches(this, scripts, change);
    this.inventories = new RedisInventories(this, scripts, change);
    this.notes = new RedisNotes(scripts, change);
    this.caches = new RedisCaches(this, scripts, whyNotStrong, change);
  }

  /** Says where this is, for what only the URI tells. */
  RedisBackend at(RedisURI uri) {
    this.uri = uri;
    return this;
  }

  /**
   * Connects.
   *
   * @param uri {@code redis://}, {@code rediss://} or {@code redis-sentinel://}, as Lettuce reads
   *     them, or {@code redis-cluster://host:port,host:port}; with {@code ?replicas=1} or {@code
   *     ?replicas=all}, see {@link ReplicaPolicy}; {@code rediss://} with {@code ?ca=FILE} trusts
   *     the authorities in that PEM file in place of the JVM's, and shows the certificate of {@code
   *     &cert=FILE&key=FILE}
   * @param settings the request timeout
   * @return an open backend
   * @throws IllegalArgumentException if the URI does not make sense; the message hides passwords
   * @throws BackendException if no Redis answers there, or not to us
   */
  public static RedisBackend connect(String uri, BackendSettings settings) {
    requireNonNull(uri, "uri must not be null");
    requireNonNull(settings, "settings must not be null");
    return Connector.connect(uri, settings, UnaryOperator.identity());
  }

  /**
   * Opens connections of its own through a client that the application has, with that client's
   * options and threads. Closing the backend closes those connections and leaves the client open.
   *
   * @param client the application's client
   * @param uri where to
   * @param settings the request timeout
   * @return an open backend
   * @throws BackendException if no Redis answers there, or not to us
   */
  public static RedisBackend over(RedisClient client, RedisURI uri, BackendSettings settings) {
    requireNonNull(client, "client must not be null");
    requireNonNull(uri, "uri must not be null");
    requireNonNull(settings, "settings must not be null");
    return Connector.over(client, uri, settings, ReplicaPolicy.none());
  }

  /**
   * Works on a Redis Cluster through a client that the application has, with that client's options,
   * threads and topology. Closing the backend closes the connections that it opened and leaves the
   * client open.
   *
   * @param client the application's client
   * @param settings the request timeout
   * @return an open backend
   * @throws BackendException if no Redis answers there, or not to us
   */
  public static RedisBackend over(RedisClusterClient client, BackendSettings settings) {
    requireNonNull(client, "client must not be null");
    requireNonNull(settings, "settings must not be null");
    return ClusterConnector.over(client, settings, ReplicaPolicy.none());
  }

  /**
   * Uses connections that the application has, beside its own commands. Closing the backend leaves
   * them open.
   *
   * @param commands carries requests
   * @param inbox carries messages; subscribes to {@code sl:inbox:*} channels
   * @param settings the request timeout
   * @return an open backend
   */
  public static RedisBackend over(
      StatefulRedisConnection<String, String> commands,
      StatefulRedisPubSubConnection<String, String> inbox,
      BackendSettings settings) {
    requireNonNull(commands, "commands must not be null");
    requireNonNull(inbox, "inbox must not be null");
    requireNonNull(settings, "settings must not be null");
    return new RedisBackend(
        "Redis",
        settings,
        commands,
        () -> CompletableFuture.completedFuture(inbox),
        null,
        null,
        UnaryOperator.identity());
  }

  /** {@return settings to fill in: where to, and how many replicas must have a lease} */
  public static RedisBackendBuilder builder() {
    return new RedisBackendBuilder();
  }

  @Override
  public String describe() {
    return describe;
  }

  @Override
  public CompletionStage<List<Finding>> diagnose() {
    return exams().thenApply(all -> NodeChecks.of(describe, all, timeout));
  }

  /** Asks each server about itself, on a thread of its own. */
  CompletionStage<List<NodeFacts>> exams() {
    if (closed) {
      return CompletableFuture.failedFuture(ScriptRunner.closedFailure());
    }
    List<CompletableFuture<NodeFacts>> all = new ArrayList<>();
    scripts.route().nodes().forEach((where, opened) -> all.add(exam(where, opened)));
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .thenApply(ended -> all.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<NodeFacts> exam(
      String where, CompletionStage<StatefulRedisConnection<String, String>> opened) {
    return bounded(opened, "connect")
        .toCompletableFuture()
        .handleAsync(
            (connection, failure) ->
                connection == null
                    ? NodeFacts.unreachable(where, failure)
                    : new NodeExam(where, connection, this::tryInbox, timeout)
                        .from(uri)
                        .forCluster(scripts.route() instanceof ClusterRoute)
                        .run(),
            RedisDoctor::onAThread);
  }

  /** Subscribes to a channel of nobody's, and gives that up. */
  private CompletableFuture<Void> tryInbox() {
    String nobody = "doctor-" + UUID.randomUUID();
    return inbox()
        .thenCompose(
            box -> box.listen(nobody, message -> {}).whenComplete((ok, e) -> box.unlisten(nobody)));
  }

  @Override
  public LockBackend locks() {
    return this;
  }

  @Override
  public PermitBackend permits() {
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

  @Override
  public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
    long[] numbers = {
      request.attempt(), request.ttlMicros(), request.block(), request.queue() ? 1 : 0
    };
    CompletableFuture<AcquireReply> asked =
        scripts.run(
            acquire,
            keys.of(request.name()),
            checkClient(request.client()),
            numbers,
            RedisBackend::acquired);
    Replicated replicas = replicated;
    return replicas == null
        ? asked
        : asked.thenCompose(
            reply ->
                reply instanceof AcquireReply.Granted
                    ? confirm(replicas, request, reply)
                    : CompletableFuture.completedFuture(reply));
  }

  /**
   * A grant counts once replicas have it. It is renewed for that: a write of the connection that
   * waits, on the server that is asked to wait, which proves that the grant is still there.
   */
  private CompletionStage<AcquireReply> confirm(
      Replicated replicas, AcquireRequest request, AcquireReply granted) {
    return renewOn(
            replicas, request.name(), request.client(), request.attempt(), request.ttlMicros())
        .handle(
            (renewed, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(
                    renewed instanceof RenewReply.Gone ? new AcquireReply.Over() : granted);
              }
              return failure instanceof NotReplicatedException missed
                  ? giveBack(request, missed)
                  : CompletableFuture.<AcquireReply>failedFuture(failure);
            })
        .thenCompose(Function.identity());
  }

  private CompletableFuture<AcquireReply> giveBack(
      AcquireRequest request, NotReplicatedException missed) {
    return release(request.name(), request.client(), request.attempt())
        .handle(
            (freed, failure) -> {
              throw new NotReplicatedException(
                  missed.getMessage()
                      + (failure == null
                          ? "; the grant was given back"
                          : "; the grant could not be given back yet"),
                  failure);
            })
        .<AcquireReply>thenApply(never -> new AcquireReply.Over())
        .toCompletableFuture();
  }

  private CompletableFuture<RenewReply> renewOn(
      Replicated replicas, String name, String client, long attempt, long ttlMicros) {
    return replicas.run(
        renew,
        keys.of(name),
        checkClient(client),
        new long[] {attempt, ttlMicros},
        RedisBackend::renewed);
  }

  /** What {@code acquire} and {@code permit_acquire} have in common. */
  static AcquireReply acquired(Reply reply) {
    return switch ((int) reply.number(0)) {
      case 0 -> new AcquireReply.Over();
      case 1 ->
          new AcquireReply.Granted(
              reply.number(1), (int) reply.number(2), reply.number(3), (int) reply.number(4));
      case 2 -> new AcquireReply.Busy(reply.number(1));
      default -> new AcquireReply.Queued((int) reply.number(1), reply.number(2));
    };
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    Replicated replicas = replicated;
    return replicas != null
        ? renewOn(replicas, name, client, attempt, ttlMicros)
        : scripts.run(
            renew,
            keys.of(name),
            checkClient(client),
            new long[] {attempt, ttlMicros},
            RedisBackend::renewed);
  }

  static RenewReply renewed(Reply reply) {
    return reply.number(0) == 0
        ? new RenewReply.Gone()
        : new RenewReply.Renewed(reply.number(1), (int) reply.number(2));
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt) {
    return scripts.run(
        release,
        keys.of(name),
        checkClient(client),
        new long[] {attempt},
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Boolean> releaseAfter(
      String name, String client, long attempt, long delayMicros) {
    return scripts.run(
        releaseAfter,
        keys.of(name),
        checkClient(client),
        new long[] {attempt, delayMicros},
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Optional<ForcedRelease>> forceRelease(String name) {
    return scripts.run(force, keys.of(name), null, new long[0], RedisBackend::forced);
  }

  private static Optional<ForcedRelease> forced(Reply reply) {
    return reply.number(0) == 0
        ? Optional.empty()
        : Optional.of(new ForcedRelease(holder(reply, 1), reply.number(5)));
  }

  private static LockInfo.Holder holder(Reply reply, int from) {
    return new LockInfo.Holder(
        reply.words().get(0),
        reply.number(from),
        reply.number(from + 1),
        Instant.EPOCH.plus(reply.number(from + 2), ChronoUnit.MICROS),
        Duration.of(reply.number(from + 3), ChronoUnit.MICROS));
  }

  @Override
  public CompletionStage<LockInfo> inspect(String name) {
    return scripts.run(inspect, keys.of(name), null, new long[0], reply -> inspected(name, reply));
  }

  private static LockInfo inspected(String name, Reply reply) {
    List<String> words = reply.words(); // holder, then waiters; numbers in the same order
    Optional<LockInfo.Holder> holder = Optional.empty();
    if (reply.number(1) == 1) {
      holder = Optional.of(holder(reply, 2));
    }
    List<LockInfo.Waiter> waiters = new ArrayList<>();
    for (int i = 1; i < words.size(); i++) {
      waiters.add(new LockInfo.Waiter(words.get(i), reply.number(5 + i)));
    }
    return new LockInfo(name, holder, waiters, reply.number(0));
  }

  /** A client stands between blanks in what is stored, and "-" means nobody there. */
  static String checkClient(String client) {
    boolean plain = !client.isEmpty() && !client.equals("-");
    for (int i = 0; plain && i < client.length(); i++) {
      plain = client.charAt(i) > ' ' && client.charAt(i) < 127;
    }
    if (!plain) {
      throw new IllegalArgumentException(
          "client must be visible ASCII without blanks, and not '-': '" + client + "'");
    }
    return client;
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return names(LockKeys.LOCK_SUFFIX, limit);
  }

  /** Names of which there is a key with this end. */
  CompletionStage<List<String>> names(String suffix, int limit) {
    if (closed) {
      return CompletableFuture.failedFuture(ScriptRunner.closedFailure());
    }
    return bounded(
        scan(scripts.route(), suffix, ScanCursor.INITIAL, limit, new LinkedHashSet<>()), "names");
  }

  /** One step through all keys. */
  CompletionStage<KeyScanCursor<String>> scan(ScanCursor from, String pattern, int count) {
    return closed
        ? CompletableFuture.failedFuture(ScriptRunner.closedFailure())
        : bounded(
            scripts.route().scan(from, ScanArgs.Builder.matches(pattern).limit(count)), "scan");
  }

  /** Names that keys of this end are about. */
  static CompletionStage<List<String>> scan(
      Route route, String suffix, ScanCursor from, int limit, Set<String> found) {
    String pattern = LockKeys.PREFIX + "*" + suffix;
    return route
        .scan(from, ScanArgs.Builder.matches(pattern).limit(1000))
        .thenCompose(
            page -> {
              for (String key : page.getKeys()) {
                if (found.size() < limit) {
                  found.add(nameOf(key, suffix));
                }
              }
              return page.isFinished() || found.size() >= limit
                  ? CompletableFuture.completedFuture(List.copyOf(found))
                  : scan(route, suffix, page, limit, found);
            });
  }

  private static String nameOf(String key, String suffix) {
    String encoded = key.substring(LockKeys.PREFIX.length(), key.length() - suffix.length());
    try {
      return Names.decode(encoded);
    } catch (IllegalArgumentException e) {
      return encoded; // not written by us
    }
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    checkClient(client);
    return bounded(inbox().thenCompose(box -> box.listen(client, listener)), "listen");
  }

  CompletionStage<Void> listenForPermits(String client, Consumer<LockMessage> listener) {
    checkClient(client);
    return bounded(inbox().thenCompose(box -> box.listenForPermits(client, listener)), "listen");
  }

  CompletionStage<Void> listenForTurns(String client, Consumer<Long> listener) {
    checkClient(client);
    return bounded(inbox().thenCompose(box -> box.listenForTurns(client, listener)), "listen");
  }

  CompletionStage<Void> listenForLoads(String client, Consumer<CacheKey> listener) {
    checkClient(client);
    return bounded(inbox().thenCompose(box -> box.listenForLoads(client, listener)), "listen");
  }

  CompletionStage<Void> listenForLatches(String client, Consumer<String> listener) {
    checkClient(client);
    return bounded(inbox().thenCompose(box -> box.listenForLatches(client, listener)), "listen");
  }

  private synchronized CompletableFuture<Inbox> inbox() {
    if (closed) {
      return CompletableFuture.failedFuture(ScriptRunner.closedFailure());
    }
    CompletableFuture<Inbox> box = inbox;
    if (box == null || box.isCompletedExceptionally()) {
      box = subscriber.get().thenApply(Inbox::new).toCompletableFuture();
      inbox = box;
    }
    return box;
  }

  @Override
  public void unlisten(String client) {
    ifOpen(open -> open.unlisten(client));
  }

  void unlistenForPermits(String client) {
    ifOpen(open -> open.unlistenForPermits(client));
  }

  void unlistenForTurns(String client) {
    ifOpen(open -> open.unlistenForTurns(client));
  }

  void unlistenForLoads(String client) {
    ifOpen(open -> open.unlistenForLoads(client));
  }

  void unlistenForLatches(String client) {
    ifOpen(open -> open.unlistenForLatches(client));
  }

  private void ifOpen(Consumer<Inbox> action) {
    CompletableFuture<Inbox> box;
    synchronized (this) {
      box = inbox;
    }
    if (box != null) {
      box.thenAccept(action);
    }
  }

  /** The same bound and the same failures as scripts have, for the rare other commands. */
  private <T> CompletionStage<T> bounded(CompletionStage<T> stage, String verb) {
    return stage
        .toCompletableFuture()
        .copy()
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .exceptionally(
            failure -> {
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              if (cause instanceof IllegalStateException closedAlready) {
                throw closedAlready;
              }
              throw cause instanceof TimeoutException
                  ? new OutcomeUnknownException(
                      describe + " did not answer '" + verb + "' within " + Uris.shortly(timeout),
                      null)
                  : new BackendException(
                      describe + " refused '" + verb + "': " + cause.getMessage(), cause);
            });
  }

  /**
   * Ends calls under way with {@link IllegalStateException} and gives up what this backend opened:
   * connections, and the client if it made one. Idempotent.
   */
  @Override
  public void close() {
    CompletableFuture<Inbox> box;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      box = inbox;
    }
    if (box != null) {
      box.thenAccept(Inbox::leave);
    }
    scripts.close();
    if (replicated != null) {
      replicated.close();
    }
    disconnect.run();
  }
}
