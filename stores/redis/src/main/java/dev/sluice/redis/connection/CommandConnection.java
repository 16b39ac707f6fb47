package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.redis.command.Call;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.command.ScriptCall;
import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server. It sees to it that every call ends: with a reply, with the end of
 * the connection, or with its time. Safe for use by many threads.
 */
public final class CommandConnection
    implements AutoCloseable, Call.Carrier, RedisConnectionStateListener {

  /** Knows the other servers. */
  interface Owner {
    /**
     * Handles a call that a server redirected or deferred.
     *
     * @return false if the error is the answer
     */
    boolean redirects(Call<?> call, CommandConnection from, String error);

    /** A server does not answer, or was removed. */
    void troubled(CommandConnection connection);
  }

  /*
   * A timer for each call would cost as much as the rest of the call. Instead calls stand in a
   * queue in the order they were sent; replies come in the same order, so a reply takes its call
   * from the head, and a look at the head every tenth of the timeout finds what is overdue.
   */
  private static final int LOOKS_PER_TIMEOUT = 10;

  /** The number of timeouts without any reply after which the connection is closed. */
  private static final int SILENT_TIMEOUTS = 3;

  /** The least interval between two moves away from a replica. */
  private static final long REPLICA_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  final String describe;

  /** The clock of this server. */
  public final StoreClock clock = new StoreClock(System::nanoTime);

  private final Owner owner;
  private final boolean ownsConnection;
  private final long timeoutNanos;
  private final Duration timeout;
  private final ConcurrentLinkedQueue<Call<?>> underWay = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<StatefulRedisConnection<String, String>> opening =
      new CompletableFuture<>();

  /** Completed when earlier calls have been sent. */
  private volatile @Nullable StatefulRedisConnection<String, String> connection;

  // guarded by this
  private final List<Call<?>> early = new ArrayList<>();
  private @Nullable ScheduledFuture<?> looks;

  /** The reason for which the connection stays closed. */
  private volatile @Nullable Throwable failure;

  private volatile long failedAt;

  /**
   * The scripts loaded since the server last lacked one; null if it never did. Anything else it may
   * lack too, and a call that has to be repeated falls behind those that were sent after it: an
   * acquire would overtake the release before it, which then finds nothing to free.
   */
  private volatile @Nullable Set<Script> known;

  /** The send time of the oldest call that timed out since the last reply; 0 if there is none. */
  private volatile long silentSince;

  /** The time of the last move away from a replica; 0 for never. */
  private final AtomicLong leftReplicaAt = new AtomicLong();

  /** Incremented when the connection is lost, and when a new one is open. */
  private final AtomicInteger connectionNumber = new AtomicInteger();

  private volatile boolean closed;

  /** Closed because the cluster no longer uses this server. */
  private volatile boolean abandoned;

  /**
   * A connection that is being opened.
   *
   * @param describe the server, for messages
   * @param owner whom to ask about a call that the server does not take
   * @param ownsConnection whether to close it, and to give it up when it is silent
   * @param timeout longest time of a call
   */
  CommandConnection(String describe, Owner owner, boolean ownsConnection, Duration timeout) {
    this.describe = describe;
    this.owner = owner;
    this.ownsConnection = ownsConnection;
    this.timeoutNanos = timeout.toNanos();
    this.timeout = timeout;
  }

  synchronized void connected(StatefulRedisConnection<String, String> with) {
    if (closed) {
      if (ownsConnection) {
        with.closeAsync();
      }
      return;
    }
    with.addListener(this);
    long between = Math.max(1_000_000, timeoutNanos / LOOKS_PER_TIMEOUT);
    looks =
        with.getResources()
            .eventExecutorGroup()
            .scheduleWithFixedDelay(this::look, between, between, TimeUnit.NANOSECONDS);
    for (Call<?> call : early) {
      dispatch(with, call);
    }
    early.clear();
    connection = with;
    opening.complete(with);
  }

  void failed(Throwable why) {
    List<Call<?>> waiting;
    synchronized (this) {
      failedAt = System.nanoTime();
      failure = why;
      waiting = List.copyOf(early);
      early.clear();
    }
    opening.completeExceptionally(why);
    for (Call<?> call : waiting) {
      call.fail(notSent(call, why));
    }
  }

  /** Whether another connection to the same server should replace this one. */
  boolean isSpent(long pauseNanos) {
    return closed || failure != null && System.nanoTime() - failedAt > pauseNanos;
  }

  /** Calls that see the same number used one connection to one server. */
  int connectionNumber() {
    return connectionNumber.get();
  }

  /** Runs commands that are not calls. */
  CompletionStage<StatefulRedisConnection<String, String>> opened() {
    return opening.copy();
  }

  /** Sends a call, after earlier ones. */
  void send(Call<?> call) {
    call.on(this);
    StatefulRedisConnection<String, String> with = connection;
    if (with == null) {
      with = connectionOrWait(call);
    }
    if (with != null) {
      dispatch(with, call);
    }
  }

  /** The connection, or null if the call waits for it or has failed. */
  private @Nullable StatefulRedisConnection<String, String> connectionOrWait(Call<?> call) {
    Throwable why;
    synchronized (this) {
      why = failure;
      if (connection != null) {
        return connection;
      }
      if (why == null && !closed) {
        early.add(call);
        return null;
      }
    }
    call.fail(notSent(call, why));
    return null;
  }

  private void dispatch(StatefulRedisConnection<String, String> with, Call<?> call) {
    if (closed) {
      call.fail(notSent(call, null));
      return;
    }
    Set<Script> learnt = known;
    if (learnt != null && call instanceof ScriptCall<?> script && !learnt.contains(script.script)) {
      script.sendText();
    }
    underWay.add(call);
    try {
      if (call.isAsking()) {
        with.dispatch(List.of(new Command<>(CommandType.ASKING, ignored()), call));
      } else {
        with.dispatch(call);
      }
    } catch (RuntimeException e) {
      call.completeExceptionally(e);
    }
    if (call.isDone()) {
      underWay.remove(call);
    }
  }

  private static StatusOutput<String, String> ignored() {
    return new StatusOutput<>(StringCodec.UTF8);
  }

  // ---- called by Call on Lettuce's thread ----

  @Override
  public void answered(Call<?> call) {
    if (silentSince != 0) {
      silentSince = 0;
    }
    underWay.remove(call); // the head, as a rule
    Set<Script> learnt = known;
    if (learnt != null && call instanceof ScriptCall<?> script && script.sentText()) {
      learnt.add(script.script);
    }
  }

  @Override
  public boolean goesOn(Call<?> call, String error) {
    if (error.startsWith("NOSCRIPT")
        && call instanceof ScriptCall<?> script
        && !script.sentText()) {
      known = ConcurrentHashMap.newKeySet();
      ScriptCall<?> again = script.again();
      again.sendText();
      if (call.isAsking()) {
        again.ask();
      }
      send(again);
      return true;
    }
    // as Redis 6 returns it to scripts
    if (error.startsWith("READONLY") || error.contains("-READONLY")) {
      leaveReplica();
    }
    return owner.redirects(call, this, error);
  }

  /**
   * The server is a replica: a master that was demoted, or an address that a Sentinel returned
   * before it noticed the fail-over. The next connection looks up the master again.
   */
  private void leaveReplica() {
    long now = System.nanoTime();
    long last = leftReplicaAt.get();
    boolean justLeft = last != 0 && now - last < REPLICA_PAUSE_NANOS;
    if (ownsConnection && !justLeft && leftReplicaAt.compareAndSet(last, now)) {
      reconnect();
    }
  }

  @Override
  public void cancelled(Call<?> call) {
    underWay.remove(call);
    call.fail(cutOff(call, null));
  }

  @Override
  public Throwable explain(Call<?> call, Throwable failure) {
    underWay.remove(call);
    if (closed && !abandoned) {
      return RedisFailures.closed();
    }
    if (failure instanceof SluiceException) {
      return failure;
    }
    if (failure instanceof RedisCommandTimeoutException) { // a client of the application has timers
      return overdue(call, Duration.ofNanos(System.nanoTime() - call.sentAt));
    }
    boolean notSent =
        failure instanceof RedisException
            && String.valueOf(failure.getMessage()).contains("not connected");
    if (notSent) {
      owner.troubled(this);
    }
    return notSent ? notSent(call, failure) : cutOff(call, failure);
  }

  private RuntimeException notSent(Call<?> call, @Nullable Throwable cause) {
    if (closed && !abandoned) {
      return RedisFailures.closed();
    }
    return new BackendException(
        describe + " is not connected at present; '" + call.verb + "' was not sent", cause);
  }

  private RuntimeException cutOff(Call<?> call, @Nullable Throwable cause) {
    if (closed && !abandoned) {
      return RedisFailures.closed();
    }
    return new OutcomeUnknownException(
        describe + " closed the connection before it answered '" + call.verb + "'", cause);
  }

  // ---- time and connection ----

  private void look() {
    long now = System.nanoTime();
    for (Call<?> head = underWay.peek();
        head != null && now - head.sentAt >= timeoutNanos;
        head = underWay.peek()) {
      underWay.remove(head);
      head.fail(overdue(head, timeout));
    }
    long silent = silentSince;
    if (silent != 0) {
      owner.troubled(this);
      if (now - silent >= SILENT_TIMEOUTS * timeoutNanos && ownsConnection) {
        silentSince = 0;
        reconnect();
      }
    }
  }

  OutcomeUnknownException overdue(Call<?> call, Duration waited) {
    if (silentSince == 0) {
      silentSince = call.sentAt;
    }
    return new OutcomeUnknownException(
        describe + " did not answer '" + call.verb + "' within " + RedisFailures.shortly(waited),
        null);
  }

  /**
   * Closes the connection and makes the driver open another one, after a replica answered or a host
   * vanished without closing its end.
   */
  private void reconnect() {
    if (!(connection instanceof RedisChannelHandler<?, ?> handler)) {
      return;
    }
    RedisChannelWriter writer = handler.getChannelWriter();
    while (writer instanceof Delegating<?> wrapper
        && wrapper.getDelegate() instanceof RedisChannelWriter inner) {
      writer = inner; // timers and listeners that the application's client has
    }
    if (writer instanceof DefaultEndpoint endpoint) {
      endpoint.disconnect();
    }
  }

  @Override
  public void onRedisConnected(RedisChannelHandler<?, ?> with, SocketAddress address) {
    connectionNumber.incrementAndGet();
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
    connectionNumber.incrementAndGet();
    silentSince = 0; // the next connection is not to blame
    for (Call<?> call = underWay.poll(); call != null; call = underWay.poll()) {
      call.fail(cutOff(call, null));
    }
    owner.troubled(this);
  }

  /** Closes the connection to a server that left the cluster. */
  void abandon() {
    leave();
  }

  /** Closes the connection without waiting, for callers on the driver's threads. */
  CompletableFuture<Void> leave() {
    abandoned = true;
    return end();
  }

  @Override
  public void close() {
    end().join();
  }

  private CompletableFuture<Void> end() {
    StatefulRedisConnection<String, String> with;
    List<Call<?>> waiting;
    synchronized (this) {
      closed = true;
      with = connection;
      waiting = List.copyOf(early);
      early.clear();
      if (looks != null) {
        looks.cancel(false);
      }
    }
    CompletableFuture<Void> end = CompletableFuture.completedFuture(null);
    if (with != null) {
      with.removeListener(this);
      if (ownsConnection) {
        end = with.closeAsync();
      }
    }
    for (Call<?> call : waiting) {
      call.fail(notSent(call, null));
    }
    for (Call<?> call = underWay.poll(); call != null; call = underWay.poll()) {
      call.fail(cutOff(call, null));
    }
    opening.completeExceptionally(RedisFailures.closed());
    return end;
  }
}
