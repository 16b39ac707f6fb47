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

/** Sends scripts and commands to where their keys live. Safe for use by many threads. */
public final class ScriptRunner implements AutoCloseable {
  private final RedisFailures failures;
  private final Route route;
  private volatile boolean closed;

  /** Everything over one connection. */
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

  /**
   * Sends a script: by its hash, and with its text when the server does not know the hash, or has
   * lost its scripts and was not told this one since.
   */
  public <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      @Nullable String client,
      long[] numbers,
      Function<Reply, T> decoder) {
    byte[] who = client == null ? null : client.getBytes(StandardCharsets.UTF_8);
    return run(script, keys, numbers, who, decoder);
  }

  /** The same with a first argument of any bytes. */
  public <T> CompletableFuture<T> run(
      Script script,
      CallKeys keys,
      long[] numbers,
      byte @Nullable [] word,
      Function<Reply, T> decoder) {
    return run(script, keys, numbers, word, null, Reply::new, decoder);
  }

  /** The same with a last argument of many bytes, or a special kind of reply. */
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

  /** Sends a call, after those that were sent before. */
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

  /** A client stands between blanks in what is stored, and "-" means no client there. */
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
