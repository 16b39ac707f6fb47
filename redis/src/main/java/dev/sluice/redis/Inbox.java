package dev.sluice.redis;

import dev.sluice.spi.LockMessage;
import dev.sluice.spi.Names;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one subscription of a process: a channel for each client, whatever the number of locks.
 * Lettuce subscribes again after a reconnect; what was published in between is lost, and the
 * waiters' polls make up for it.
 */
final class Inbox extends RedisPubSubAdapter<String, String> {
  private static final String PREFIX = "sl:inbox:";

  private final Map<String, Consumer<LockMessage>> listeners = new ConcurrentHashMap<>();
  private final StatefulRedisPubSubConnection<String, String> connection;

  Inbox(StatefulRedisPubSubConnection<String, String> connection) {
    this.connection = connection;
    connection.addListener(this);
  }

  CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    listeners.put(client, listener);
    return connection.async().subscribe(PREFIX + client);
  }

  void unlisten(String client) {
    if (listeners.remove(client) != null && connection.isOpen()) {
      connection.async().unsubscribe(PREFIX + client);
    }
  }

  @Override
  public void message(String channel, String text) {
    if (!channel.startsWith(PREFIX)) {
      return;
    }
    Consumer<LockMessage> listener = listeners.get(channel.substring(PREFIX.length()));
    LockMessage message = read(text);
    if (listener != null && message != null) {
      listener.accept(message);
    }
  }

  /** Anybody may publish anything: what we do not understand we ignore. */
  private static @Nullable LockMessage read(String text) {
    int space = text.indexOf(' ');
    if (space < 0) {
      return null;
    }
    String kind = text.substring(0, space);
    try {
      String name = Names.decode(text.substring(space + 1));
      return switch (kind) {
        case "granted" -> new LockMessage(LockMessage.Kind.GRANTED, name);
        case "wanted" -> new LockMessage(LockMessage.Kind.WANTED, name);
        default -> null;
      };
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Ends every subscription of ours on a connection that is not ours to close. */
  void leave() {
    listeners.keySet().forEach(this::unlisten);
    connection.removeListener(this);
  }
}
