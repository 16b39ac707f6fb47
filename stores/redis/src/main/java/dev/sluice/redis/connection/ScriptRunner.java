package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.SluiceException;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.text.Names;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends scripts and commands to where their keys live. Safe for use by many threads. */
public final class ScriptRunner implements AutoCloseable {
  private final String describe;
  private final Route route;
  private volatile boolean closed;

  /** Everything over one connection. */
  public ScriptRunner(
      String describe,
      StatefulRedisConnection<String, String> connection,
      boolean ownsConnection,
      Duration timeout) {
    this(describe, new SingleRoute(describe, connection, ownsConnection, timeout));
  }

  public ScriptRunner(String describe, Route route) {
    this.describe = describe;
    this.route = route;
  }

  public Route route() {
    return route;
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
    return send(new ScriptCall<>(this, script, keys, word, numbers, payload, reply, decoder));
  }

  /** Sends a call, after those that were sent before. */
  public <T> CompletableFuture<T> send(Call<T> call) {
    if (closed) {
      call.fail(closedFailure());
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

  public static IllegalStateException closedFailure() {
    return new IllegalStateException("this Redis backend is closed");
  }

  SluiceException failureOf(Call<?> call, String error) {
    if (error.startsWith("WRONGTYPE")) {
      return foreign(call.key(1), "value of another type");
    }
    String[] ours = ours(error);
    if (ours.length == 3 && ours[0].equals("foreign")) {
      return foreign(call.key(Integer.parseInt(ours[1])), ours[2]);
    }
    if (ours.length == 2 && ours[0].equals("exhausted")) {
      return new ForeignDataException(
          Names.quoted(call.owner())
              + " has no fencing token left: the last one is "
              + ours[1]
              + "; use another name",
          null);
    }
    if (ours.length == 2 && ours[0].equals("ttl")) {
      Duration longest = Duration.ofNanos(1000 * Long.parseLong(ours[1]));
      return new BackendException(
          describe + " belongs to a quorum whose longest lease is " + Uris.shortly(longest), null);
    }
    return new BackendException(describe + " refused '" + call.verb + "': " + error, null);
  }

  public ForeignDataException foreign(String key, String what) {
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

  @Override
  public void close() {
    closed = true;
    route.close();
  }
}
