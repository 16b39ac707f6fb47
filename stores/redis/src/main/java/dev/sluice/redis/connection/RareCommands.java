package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.text.Names;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Commands other than scripts: scans of all keys, subscriptions, requests of the doctor. The same
 * bound and the same failures as scripts have. Safe for use by many threads.
 */
public final class RareCommands {
  private final String describe;
  private final Duration timeout;
  private final ScriptRunner scripts;
  private final KeySpace space;

  RareCommands(String describe, Duration timeout, ScriptRunner scripts, KeySpace space) {
    this.describe = describe;
    this.timeout = timeout;
    this.scripts = scripts;
    this.space = space;
  }

  /** Lists the names of keys with a suffix. */
  public CompletionStage<List<String>> names(String suffix, int limit) {
    return scripts.isClosed()
        ? CompletableFuture.failedFuture(RedisFailures.closed())
        : bounded(names(scripts.route(), space, suffix, limit), "names");
  }

  /** One step through all keys. */
  public CompletionStage<KeyScanCursor<String>> scan(ScanCursor from, String pattern, int count) {
    return scripts.isClosed()
        ? CompletableFuture.failedFuture(RedisFailures.closed())
        : bounded(
            scripts.route().scan(from, ScanArgs.Builder.matches(pattern).limit(count)), "scan");
  }

  /** Lists the names of keys with a suffix, without a time bound. */
  public static CompletionStage<List<String>> names(
      Route route, KeySpace space, String suffix, int limit) {
    return names(route, space.open(), suffix, ScanCursor.INITIAL, limit, new LinkedHashSet<>());
  }

  private static CompletionStage<List<String>> names(
      Route route, String open, String suffix, ScanCursor from, int limit, Set<String> found) {
    String pattern = open + "*" + suffix;
    return route
        .scan(from, ScanArgs.Builder.matches(pattern).limit(1000))
        .thenCompose(
            page -> {
              for (String key : page.getKeys()) {
                String name = found.size() < limit ? nameOf(key, open, suffix) : null;
                if (name != null) {
                  found.add(name);
                }
              }
              return page.isFinished() || found.size() >= limit
                  ? CompletableFuture.completedFuture(List.copyOf(found))
                  : names(route, open, suffix, page, limit, found);
            });
  }

  /** The name in a key; null for a foreign key. */
  private static @Nullable String nameOf(String key, String open, String suffix) {
    String encoded = key.substring(open.length(), key.length() - suffix.length());
    try {
      String name = Names.check(Names.decode(encoded));
      return Names.encode(name).equals(encoded) ? name : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  public <T> CompletionStage<T> bounded(CompletionStage<T> stage, String verb) {
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
                      describe
                          + " did not answer '"
                          + verb
                          + "' within "
                          + RedisFailures.shortly(timeout),
                      null)
                  : new BackendException(
                      describe
                          + (cause instanceof RedisCommandExecutionException
                              ? " refused '"
                              : " could not run '")
                          + verb
                          + "': "
                          + cause.getMessage(),
                      cause);
            });
  }
}
