package dev.sluice.redis.connection;

import dev.sluice.redis.keys.KeySpace;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The open connections to one server, one master or one cluster, and the code that sends over them.
 * The verbs and the doctor stand on this. Safe for use by many threads.
 */
public final class StoreConnection implements AutoCloseable {
  public final String describe;
  public final Duration timeout;
  public final KeySpace space;
  public final ScriptRunner scripts;

  /** Runs grants and count-downs that replicas must confirm; null if no replica is waited for. */
  public final @Nullable Replicated replicated;

  public final RareCommands rare;
  public final LazySubscription subscription;

  /** The reason why this store may lose confirmed writes; null if it does not. */
  public final @Nullable String whyNotStrong;

  /** The URI of the connection, for facts that no server reports; null if unknown. */
  public final @Nullable RedisURI uri;

  private final Runnable disconnect;
  private volatile boolean closed;

  /**
   * The open connections.
   *
   * @param disconnect releases what stands below the scripts and the subscription
   */
  StoreConnection(
      String describe,
      BackendSettings settings,
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      Inbox.Opener opener,
      boolean ownsInbox,
      Timer timer,
      Runnable disconnect,
      @Nullable String whyNotStrong,
      @Nullable RedisURI uri) {
    this.describe = describe;
    this.timeout = settings.requestTimeout();
    this.space = KeySpace.of(settings.namespace());
    this.scripts = scripts;
    this.replicated = replicated;
    this.rare = new RareCommands(describe, timeout, scripts, space);
    this.subscription =
        new LazySubscription(
            opener,
            ownsInbox,
            space,
            rare,
            new SubscriptionProbe(timer, System::nanoTime, timeout));
    this.disconnect = disconnect;
    this.whyNotStrong = whyNotStrong;
    this.uri = uri;
  }

  /** Uses connections of the application, which stay open. */
  public static StoreConnection over(
      String describe,
      BackendSettings settings,
      StatefulRedisConnection<String, String> commands,
      Inbox.Opener opener) {
    return new StoreConnection(
        describe,
        settings,
        new ScriptRunner(describe, commands, false, settings.requestTimeout()),
        null,
        opener,
        false,
        Timer.of(commands.getResources()),
        () -> {},
        null,
        null);
  }

  public boolean isClosed() {
    return closed;
  }

  /** Fails calls under way with {@link IllegalStateException}. Idempotent. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    subscription.close();
    scripts.close();
    if (replicated != null) {
      replicated.close();
    }
    disconnect.run();
  }
}
