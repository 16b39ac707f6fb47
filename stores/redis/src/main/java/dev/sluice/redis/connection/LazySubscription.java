package dev.sluice.redis.connection;

import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.keys.KeySpace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Inbox} of a backend, opened when a client first waits for messages. Safe for use by
 * many threads.
 */
public final class LazySubscription implements AutoCloseable {
  private final Inbox.Opener opener;
  private final boolean ownsConnection;
  private final KeySpace space;
  private final RareCommands rare;
  private final SubscriptionProbe probe;
  // guarded by this
  private @Nullable CompletableFuture<Inbox> inbox;
  private boolean closed;

  /**
   * A subscription that is not open.
   *
   * @param opener opens a connection for it
   * @param ownsConnection whether to close that, and to give it up when it is silent
   * @param space where the channels begin
   * @param rare bounds calls
   * @param probe finds out that it is silent
   */
  LazySubscription(
      Inbox.Opener opener,
      boolean ownsConnection,
      KeySpace space,
      RareCommands rare,
      SubscriptionProbe probe) {
    this.opener = opener;
    this.ownsConnection = ownsConnection;
    this.space = space;
    this.rare = rare;
    this.probe = probe;
  }

  /**
   * Subscribes a client.
   *
   * @param client whose messages
   * @param what says to the inbox what for
   */
  public CompletionStage<Void> listen(String client, Function<Inbox, CompletionStage<Void>> what) {
    ScriptRunner.checkClient(client);
    return rare.bounded(inbox().thenCompose(what), "listen");
  }

  /** A client of this process holds or waits for something, so messages matter for a time. */
  public void expect(long micros) {
    probe.expect(micros);
  }

  /** Ends the subscription of {@link #listen}, if the connection was opened. */
  public void unlisten(Consumer<Inbox> what) {
    CompletableFuture<Inbox> box;
    synchronized (this) {
      box = inbox;
    }
    if (box != null) {
      box.thenAccept(what);
    }
  }

  public synchronized CompletableFuture<Inbox> inbox() {
    if (closed) {
      return CompletableFuture.failedFuture(RedisFailures.closed());
    }
    CompletableFuture<Inbox> box = inbox;
    if (box == null || box.isCompletedExceptionally()) {
      box =
          opener
              .open()
              .thenApply(
                  connection -> new Inbox(connection, ownsConnection ? opener : null, space, probe))
              .toCompletableFuture();
      inbox = box;
    }
    return box;
  }

  @Override
  public void close() {
    CompletableFuture<Inbox> box;
    synchronized (this) {
      closed = true;
      box = inbox;
    }
    probe.close();
    if (box != null) {
      CompletableFuture<Void> end = box.thenCompose(Inbox::close);
      if (box.isDone()) {
        end.exceptionally(failure -> null).join();
      }
    }
  }
}
