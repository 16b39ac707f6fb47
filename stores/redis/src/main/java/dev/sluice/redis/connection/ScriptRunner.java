package dev.sluice.redis.connection;

import dev.sluice.redis.command.Call;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.command.ScriptCall;
import dev.sluice.redis.keys.CallKeys;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends scripts and commands to the server of their keys. Safe for use by many threads. */
public final class ScriptRunner implements AutoCloseable {
  private final RedisFailures failures;
  private final Route route;
  private volatile boolean closed;

  /** Runs scripts over one connection. */
  ScriptRunner(
      String describe,
      StatefulRedisConnection<String, String> connection,
      boolean ownsConnection,
      Duration timeout) {
    this(describe, new SingleRoute(describe, connection, ownsConnection, timeout));
  }

  public ScriptRunner(String describe, Route route) {
    this.failures = new RedisFailures(describe);
    this.route = route;
  }

  public Route route() {
    return route;
  }

  public RedisFailures failures() {
    return failures;
  }

  boolean isClosed() {
    return closed;
  }

  /** Sends a script by its hash, or with its text if the server does not have it. */
  public <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      @Nullable String client,
      long[] numbers,
      Function<Reply, T> decoder) {
    byte[] who = client == null ? null : client.getBytes(StandardCharsets.UTF_8);
    return run(script, keys, numbers, who, decoder);
  }

  /** Runs a script whose first argument is any bytes. */
  public <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      long[] numbers,
      byte @Nullable [] word,
      Function<Reply, T> decoder) {
    return run(script, keys, numbers, word, null, Reply::new, decoder);
  }

  /** Runs a script with a long last argument, or with a special kind of reply. */
  public <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      long[] numbers,
      byte @Nullable [] word,
      ScriptCall.@Nullable Payload payload,
      Function<String, Reply> reply,
      Function<Reply, T> decoder) {
    return send(new ScriptCall<>(failures, script, keys, word, numbers, payload, reply, decoder));
  }

  /** Sends a call, after earlier ones. */
  public <T> CompletableFuture<T> send(Call<T> call) {
    if (closed) {
      call.fail(RedisFailures.closed());
    } else {
      route.send(call);
    }
    return call;
  }

  /** Sends a call to one server, for any keys. */
  public <T> CompletableFuture<T> send(Call<T> call, CommandConnection to) {
    to.send(call);
    return call;
  }

  /** A stored client is delimited by blanks, and "-" stands for no client. */
  public static String checkClient(String client) {
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
  public void close() {
    closed = true;
    route.close();
  }
}
