package dev.sluice.redis.quorum;

import dev.sluice.BackendException;
import dev.sluice.redis.connection.Clients;
import dev.sluice.redis.connection.Inbox;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.SingleRoute;
import dev.sluice.redis.connection.SubscriptionProbe;
import dev.sluice.redis.connection.Timer;
import dev.sluice.redis.connection.Uris;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One node of a quorum: keeps a connection to it, reconnects after it is closed, and has the
 * membership readmit the node when it replies that it is not a member. Safe for use by many
 * threads.
 */
public final class RedisPeer implements QuorumPeer {

  /** The functions of a quorum that a node calls. */
  interface Home {
    /** A connection is open, to a server that may have restarted. */
    void opened(RedisPeer peer, QuorumLink link);

    /** The server of this connection is not a member. */
    void notMember(RedisPeer peer, QuorumLink link);

    /** The node that already has a server with this run id, if any. */
    @Nullable RedisPeer sameServer(RedisPeer peer, String runId);
  }

  private static final Pattern RUN_ID = Pattern.compile("(?m)^run_id:([0-9a-f]{40})\\s*$");
  private static final long FIRST_RETRY_MILLIS = 20;
  private static final long LAST_RETRY_MILLIS = 1000;

  private final String describe;
  private final RedisURI uri;
  private final RedisClient commands;
  private final RedisClient messages;
  private final Duration timeout;
  private final QuorumScripts scripts;
  private final Timer timer;
  private final Home home;
  private final SubscriptionProbe probe;

  private final Map<String, Consumer<LockMessage>> listeners = new ConcurrentHashMap<>();

  private volatile @Nullable QuorumLink link;
  private volatile String whyDown = "was not reached yet";
  private volatile boolean closed;
  private int failures;
  // guarded by this
  private @Nullable CompletableFuture<Inbox> inbox;

  /**
   * A node without a connection.
   *
   * @param commands opens connections for requests
   * @param messages opens connections for messages, which reconnect by themselves
   */
  public RedisPeer(
      RedisURI uri,
      RedisClient commands,
      RedisClient messages,
      Duration timeout,
      QuorumScripts scripts,
      Timer timer,
      Home home) {
    this.describe = Uris.describe(uri);
    this.uri = uri;
    this.commands = commands;
    this.messages = messages;
    this.timeout = timeout;
    this.scripts = scripts;
    this.timer = timer;
    this.home = home;
    this.probe = new SubscriptionProbe(timer, System::nanoTime, timeout);
  }

  @Override
  public String describe() {
    return describe;
  }

  @Nullable
  public QuorumLink link() {
    return link;
  }

  /** The reason why there is no connection, for messages. */
  public String problem() {
    return describe + " " + whyDown;
  }

  // ---- connection ----

  /** Tries once, completes after that, and retries in the background. */
  public CompletableFuture<Void> open() {
    CompletableFuture<StatefulRedisConnection<String, String>> connecting;
    try {
      connecting = commands.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e);
    }
    return connecting
        .thenCompose(this::readRunId)
        .handle(
            (done, failure) -> {
              if (failure != null) {
                whyDown = "cannot be used: " + Clients.reason(failure, uri);
                openLater();
              }
              return null;
            });
  }

  private void openLater() {
    if (closed) {
      return;
    }
    long ceiling = Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(failures++, 10));
    long delay = ceiling / 2 + ThreadLocalRandom.current().nextLong(ceiling / 2 + 1);
    timer.in(
        TimeUnit.MILLISECONDS.toNanos(delay),
        () -> {
          if (!closed) {
            open();
          }
        });
  }

  private CompletionStage<Void> readRunId(StatefulRedisConnection<String, String> connection) {
    CompletableFuture<Void> end = new CompletableFuture<>(); // before anything is asked
    connection.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
            end.complete(null);
          }
        });
    return connection
        .async()
        .info("server")
        .toCompletableFuture()
        .copy()
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .thenAccept(info -> use(connection, info, end))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                connection.closeAsync();
              }
            });
  }

  private void use(
      StatefulRedisConnection<String, String> connection,
      String info,
      CompletableFuture<Void> end) {
    Matcher found = RUN_ID.matcher(info);
    if (!found.find()) {
      throw new IllegalStateException("it does not report its run id");
    }
    String runId = found.group(1);
    SingleRoute route = new SingleRoute(describe, connection, true, timeout);
    QuorumLink opened = new QuorumLink(route, new ScriptRunner(describe, route), scripts, runId);
    synchronized (home) {
      RedisPeer twin = home.sameServer(this, runId);
      if (twin != null) {
        throw new IllegalStateException("it is the same server as " + twin.describe);
      }
      link = opened;
    }
    failures = 0;
    end.thenRun(() -> lost(opened));
    if (closed) {
      opened.close();
      return;
    }
    if (!listeners.isEmpty()) {
      listeners.forEach(this::subscribe);
    }
    home.opened(this, opened);
  }

  /** The server's next run has another id, so its connection is another link. */
  private void lost(QuorumLink gone) {
    synchronized (this) {
      if (link != gone) {
        return;
      }
      link = null;
      whyDown = "is not connected at present";
    }
    gone.close();
    openLater();
  }

  // ---- verbs ----

  private CompletableFuture<Vote> vote(Function<QuorumLink, CompletableFuture<Vote>> question) {
    QuorumLink open = link;
    if (open == null) {
      return down();
    }
    CompletableFuture<Vote> answer = question.apply(open);
    answer.thenAccept(
        vote -> {
          if (vote.kind() == Vote.Kind.NOT_MEMBER) {
            home.notMember(this, open);
          }
        });
    return answer;
  }

  private <T> CompletableFuture<T> down() {
    return CompletableFuture.failedFuture(new BackendException(problem(), null));
  }

  @Override
  public boolean isSlow() {
    QuorumLink open = link;
    return open != null && open.isSlow();
  }

  @Override
  public CompletionStage<Vote> acquire(GrantRequest request, long token, int block) {
    probe.expect(request.ttlMicros());
    return vote(open -> open.acquire(request, token, block));
  }

  @Override
  public CompletionStage<Vote> raise(GrantRequest request, long token, int block) {
    return vote(
        open -> open.raise(request.name(), request.client(), request.attempt(), token, block));
  }

  @Override
  public CompletionStage<Vote> renew(String name, String client, long attempt, long ttlMicros) {
    probe.expect(ttlMicros);
    return vote(open -> open.renew(name, client, attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Vote> release(String name, String client, long attempt, boolean waits) {
    return vote(open -> open.release(name, client, attempt, waits));
  }

  @Override
  public CompletionStage<NodeView> inspect(String name) {
    QuorumLink open = link;
    return open == null ? down() : open.inspect(name);
  }

  /** The names of locks that the node knows. */
  public CompletionStage<List<String>> names(int limit) {
    QuorumLink open = link;
    return open == null
        ? down()
        : open.names(limit).orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  // ---- messages ----

  /** Delivers a client's messages, now or once the node is connected. */
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    listeners.put(client, listener);
    return link == null ? down() : subscribe(client, listener);
  }

  private CompletionStage<Void> subscribe(String client, Consumer<LockMessage> listener) {
    return inbox()
        .thenCompose(box -> box.listen(client, listener))
        .toCompletableFuture()
        .copy()
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private synchronized CompletableFuture<Inbox> inbox() {
    CompletableFuture<Inbox> box = inbox;
    if (box == null || box.isCompletedExceptionally()) {
      Inbox.Opener opener = () -> messages.connectPubSubAsync(StringCodec.UTF8, uri);
      box =
          opener
              .open()
              .thenApply(connection -> new Inbox(connection, opener, scripts.space, probe))
              .toCompletableFuture();
      inbox = box;
    }
    return box;
  }

  public void unlisten(String client) {
    listeners.remove(client);
    CompletableFuture<Inbox> box;
    synchronized (this) {
      box = inbox;
    }
    if (box != null) {
      box.thenAccept(open -> open.unlisten(client));
    }
  }

  /** Closes the connections that were opened. */
  public CompletableFuture<Void> close() {
    closed = true;
    probe.close();
    QuorumLink open = link;
    link = null;
    whyDown = "was given up: this quorum is closed";
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    if (open != null) {
      ends.add(open.close());
    }
    CompletableFuture<Inbox> box;
    synchronized (this) {
      box = inbox;
    }
    if (box != null) {
      ends.add(box.thenCompose(Inbox::close).exceptionally(failure -> null));
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
  }
}
