package dev.sluice.redis;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.lock.TokenExhaustedException;
import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts over one connection and sees to it that every call ends: with a reply, with the end
 * of its connection, or with its time. Safe for use by many threads.
 */
final class ScriptRunner implements AutoCloseable, RedisConnectionStateListener {
  /*
   * A timer for each call would cost as much as the rest of the call. Instead calls stand in a
   * queue in the order they were sent; replies come in the same order, so a reply takes its call
   * from the head, and a look at the head every tenth of the timeout finds what is overdue.
   */
  private static final int LOOKS_PER_TIMEOUT = 10;

  /** After this many timeouts without any reply the connection is given up. */
  private static final int SILENT_TIMEOUTS = 3;

  private final String describe;
  private final StatefulRedisConnection<String, String> connection;
  private final boolean ownsConnection;
  private final long timeoutNanos;
  private final Duration timeout;
  private final ConcurrentLinkedQueue<Call<?>> underWay = new ConcurrentLinkedQueue<>();
  private final ScheduledFuture<?> looks;

  /**
   * What the server learnt since it last lacked a script; null: it never did. Anything else it may
   * lack too, and a call that has to be repeated falls behind those that were sent after it: an
   * acquire would overtake the release before it, which then finds nothing to free.
   */
  private volatile @Nullable Set<Script> known;

  /** When the oldest call was sent of those that ran out of time since the last reply; 0: none. */
  private volatile long silentSince;

  private volatile boolean closed;

  ScriptRunner(
      String describe,
      StatefulRedisConnection<String, String> connection,
      boolean ownsConnection,
      Duration timeout) {
    this.describe = describe;
    this.connection = connection;
    this.ownsConnection = ownsConnection;
    this.timeoutNanos = timeout.toNanos();
    this.timeout = timeout;
    connection.addListener(this);
    long between = Math.max(1_000_000, timeoutNanos / LOOKS_PER_TIMEOUT);
    this.looks =
        connection
            .getResources()
            .eventExecutorGroup()
            .scheduleWithFixedDelay(this::look, between, between, TimeUnit.NANOSECONDS);
  }

  /**
   * Sends a script: by its hash, and with its text when the server does not know the hash, or has
   * lost its scripts and was not told this one since.
   */
  <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      @Nullable String client,
      long[] numbers,
      Function<Reply, T> decoder) {
    byte[] who = client == null ? null : client.getBytes(StandardCharsets.UTF_8);
    return run(script, keys, numbers, who, decoder);
  }

  /** The same with a first argument of any bytes. */
  <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      long[] numbers,
      byte @Nullable [] word,
      Function<Reply, T> decoder) {
    return run(script, keys, numbers, word, null, Reply::new, decoder);
  }

  /** The same with a last argument of many bytes, or a reply of its own kind. */
  <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      long[] numbers,
      byte @Nullable [] word,
      ScriptCall.@Nullable Payload payload,
      Function<String, Reply> reply,
      Function<Reply, T> decoder) {
    ScriptCall<T> call =
        new ScriptCall<>(this, script, keys, word, numbers, payload, reply, decoder);
    Set<Script> learnt = known;
    return send(learnt == null || learnt.contains(script) ? call : call.withText());
  }

  /** Sends a call, after those that were sent before. */
  <T> CompletableFuture<T> send(Call<T> call) {
    if (closed) {
      call.fail(closedFailure());
      return call;
    }
    underWay.add(call);
    try {
      connection.dispatch(call);
    } catch (RuntimeException e) {
      call.completeExceptionally(e);
    }
    if (call.isDone()) {
      underWay.remove(call);
    }
    return call;
  }

  static IllegalStateException closedFailure() {
    return new IllegalStateException("this Redis backend is closed");
  }

  // ---- called by ScriptCall on Lettuce's thread ----

  void answered(Call<?> call) {
    if (silentSince != 0) {
      silentSince = 0;
    }
    underWay.remove(call); // the head, as a rule
    Set<Script> learnt = known;
    if (learnt != null && call instanceof ScriptCall<?> script && script.sentText()) {
      learnt.add(script.script);
    }
  }

  <T> void refused(Call<T> call, String error) {
    if (error.startsWith("NOSCRIPT")
        && call instanceof ScriptCall<T> script
        && !script.sentText()) {
      known = ConcurrentHashMap.newKeySet();
      send(script.withText())
          .whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  call.complete(value);
                } else {
                  call.fail(failure);
                }
              });
      return;
    }
    call.fail(failureOf(call, error));
  }

  void cancelled(Call<?> call) {
    underWay.remove(call);
    call.fail(closed ? closedFailure() : lost(call, null));
  }

  /** What Lettuce's failure means to the caller. */
  Throwable explain(Call<?> call, Throwable failure) {
    underWay.remove(call);
    if (closed) {
      return closedFailure();
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
    return notSent
        ? new BackendException(
            describe + " is not connected at present; '" + call.verb + "' was not sent", failure)
        : lost(call, failure);
  }

  private OutcomeUnknownException lost(Call<?> call, @Nullable Throwable cause) {
    return new OutcomeUnknownException(
        describe + " closed the connection before it answered '" + call.verb + "'", cause);
  }

  private SluiceException failureOf(Call<?> call, String error) {
    if (error.startsWith("WRONGTYPE")) {
      return foreign(call.key(1), "value of another type");
    }
    String[] ours = ours(error);
    if (ours.length == 3 && ours[0].equals("foreign")) {
      return foreign(call.key(Integer.parseInt(ours[1])), ours[2]);
    }
    if (ours.length == 2 && ours[0].equals("exhausted")) {
      return new TokenExhaustedException(
          "'" + call.owner() + "' has no fencing token left: the last one is " + ours[1]);
    }
    return new BackendException(describe + " refused '" + call.verb + "': " + error, null);
  }

  ForeignDataException foreign(String key, String what) {
    return new ForeignDataException(
        "key '"
            + key
            + "' on "
            + describe
            + " holds a "
            + what
            + ", which Sluice did not write; look at it and remove it",
        null);
  }

  /** The words between the brackets of {@code SLUICE<...>}: the scripts' own errors. */
  private static String[] ours(String error) {
    int from = error.indexOf("SLUICE<");
    int to = error.indexOf('>', Math.max(0, from));
    return from < 0 || to < 0 ? new String[0] : error.substring(from + 7, to).split(" ", 3);
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
    if (silent != 0 && now - silent >= SILENT_TIMEOUTS * timeoutNanos && ownsConnection) {
      silentSince = 0;
      reconnect();
    }
  }

  private OutcomeUnknownException overdue(Call<?> call, Duration waited) {
    if (silentSince == 0) {
      silentSince = call.sentAt;
    }
    return new OutcomeUnknownException(
        describe + " did not answer '" + call.verb + "' within " + Uris.shortly(waited), null);
  }

  /** A host that vanished leaves a connection open that nobody will ever answer. */
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
  public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
    silentSince = 0; // the next connection is not to blame
    for (Call<?> call = underWay.poll(); call != null; call = underWay.poll()) {
      call.fail(closed ? closedFailure() : lost(call, null));
    }
  }

  @Override
  public void close() {
    closed = true;
    looks.cancel(false);
    connection.removeListener(this);
    if (ownsConnection) {
      connection.close();
    }
    for (Call<?> call = underWay.poll(); call != null; call = underWay.poll()) {
      call.fail(closedFailure());
    }
  }
}
