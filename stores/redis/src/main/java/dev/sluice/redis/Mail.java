package dev.sluice.redis;

import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Inbox} of a {@link RedisBackend}, opened when somebody first waits for messages. Safe
 * for use by many threads.
 */
final class Mail implements AutoCloseable {
  private final Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> subscriber;
  private final RareCommands rare;
  // guarded by this
  private @Nullable CompletableFuture<Inbox> inbox;
  private boolean closed;

  Mail(
      Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> subscriber,
      RareCommands rare) {
    this.subscriber = subscriber;
    this.rare = rare;
  }

  /**
   * Begins to listen.
   *
   * @param client whose messages
   * @param what says to the inbox what for
   */
  CompletionStage<Void> listen(String client, Function<Inbox, CompletionStage<Void>> what) {
    ScriptRunner.checkClient(client);
    return rare.bounded(inbox().thenCompose(what), "listen");
  }

  /** Ends what {@link #listen} began, if the inbox was opened. */
  void unlisten(Consumer<Inbox> what) {
    CompletableFuture<Inbox> box;
    synchronized (this) {
      box = inbox;
    }
    if (box != null) {
      box.thenAccept(what);
    }
  }

  synchronized CompletableFuture<Inbox> inbox() {
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
  public void close() {
    synchronized (this) {
      closed = true;
    }
    unlisten(Inbox::leave);
  }
}
