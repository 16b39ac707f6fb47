package dev.sluice.redis.connection;

import dev.sluice.redis.keys.CacheKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.LockMessage;
import dev.sluice.text.Names;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The subscription of a process: one channel for each client, for any number of locks. Lettuce
 * subscribes again after a reconnect, and {@link SubscriptionProbe} finds a connection that is dead
 * although it is open. What was published in between is lost, and the waiters' polls make up for
 * it: the first of a queue has the store notify its holder again.
 */
public final class Inbox extends RedisPubSubAdapter<String, String>
    implements SubscriptionProbe.Subscription {
  private static final String TURN = "turn ";
  private static final String LOAD = "load ";
  private static final String PERMIT = "permit-";
  private static final String OPENED = "opened ";

  private final Map<String, Consumer<LockMessage>> listeners = new ConcurrentHashMap<>();
  private final Map<String, Consumer<LockMessage>> permitListeners = new ConcurrentHashMap<>();
  private final Map<String, Consumer<Long>> turnListeners = new ConcurrentHashMap<>();
  private final Map<String, Consumer<CacheKey>> loadListeners = new ConcurrentHashMap<>();
  private final Map<String, Consumer<String>> latchListeners = new ConcurrentHashMap<>();
  private final String start;
  private final @Nullable Opener opener;
  private final SubscriptionProbe probe;

  /** Written under the monitor. */
  private volatile StatefulRedisPubSubConnection<String, String> connection;

  /** False from a reconnect until the server has confirmed the channels. */
  private volatile boolean isSubscribed = true;

  // guarded by this
  private boolean closed;

  /** Opens a connection for subscriptions. */
  @FunctionalInterface
  public interface Opener {
    CompletionStage<StatefulRedisPubSubConnection<String, String>> open();
  }

  /**
   * A subscription without clients.
   *
   * @param connection carries the subscriptions
   * @param opener opens another one when this one is dead; null if the connection is the
   *     application's, which is neither probed nor closed
   * @param space where the channels begin
   * @param probe finds out that a connection is dead
   */
  public Inbox(
      StatefulRedisPubSubConnection<String, String> connection,
      @Nullable Opener opener,
      KeySpace space,
      SubscriptionProbe probe) {
    this.start = space.inbox();
    this.connection = connection;
    this.opener = opener;
    this.probe = probe;
    connection.addListener(this);
    if (opener != null) {
      probe.watch(this);
    }
  }

  // ---- a connection that is dead ----

  @Override
  public boolean isOpen() {
    return connection.isOpen();
  }

  /** An error also counts as a reply. */
  @Override
  public void ping() {
    CompletionStage<?> answer = isSubscribed ? connection.async().ping() : subscribeAgain();
    answer.whenComplete(
        (done, failure) -> {
          if (failure == null || failure instanceof RedisCommandExecutionException) {
            probe.heard();
          }
        });
  }

  /** If the new connection is silent too, the probe reconnects again. */
  @Override
  public void giveUp() {
    if (opener != null) {
      opener.open().thenAccept(this::moveTo);
    }
  }

  private void moveTo(StatefulRedisPubSubConnection<String, String> other) {
    StatefulRedisPubSubConnection<String, String> dead;
    synchronized (this) {
      if (closed) {
        other.closeAsync();
        return;
      }
      dead = connection;
      other.addListener(this);
      connection = other;
      isSubscribed = false;
    }
    dead.removeListener(this);
    dead.closeAsync();
    ping();
  }

  /** Keeps the order of the clients' subscriptions and unsubscriptions. */
  private synchronized CompletionStage<Void> subscribeAgain() {
    String[] channels =
        Stream.of(listeners, permitListeners, turnListeners, loadListeners, latchListeners)
            .flatMap(each -> each.keySet().stream())
            .distinct()
            .map(client -> start + client)
            .toArray(String[]::new);
    if (channels.length == 0) {
      isSubscribed = true;
      return CompletableFuture.completedFuture(null);
    }
    StatefulRedisPubSubConnection<String, String> over = connection;
    RedisFuture<Void> answer = over.async().subscribe(channels);
    answer.thenRun(() -> subscribed(over));
    return answer;
  }

  private synchronized void subscribed(StatefulRedisPubSubConnection<String, String> over) {
    isSubscribed |= over == connection;
  }

  // ---- clients ----

  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return add(listeners, client, listener);
  }

  public CompletionStage<Void> listenForPermits(String client, Consumer<LockMessage> listener) {
    return add(permitListeners, client, listener);
  }

  public CompletionStage<Void> listenForTurns(String client, Consumer<Long> listener) {
    return add(turnListeners, client, listener);
  }

  public CompletionStage<Void> listenForLoads(String client, Consumer<CacheKey> listener) {
    return add(loadListeners, client, listener);
  }

  public CompletionStage<Void> listenForLatches(String client, Consumer<String> listener) {
    return add(latchListeners, client, listener);
  }

  private synchronized <T> CompletionStage<Void> add(
      Map<String, Consumer<T>> to, String client, Consumer<T> listener) {
    to.put(client, listener);
    return connection.async().subscribe(start + client);
  }

  public void unlisten(String client) {
    remove(listeners, client);
  }

  public void unlistenForPermits(String client) {
    remove(permitListeners, client);
  }

  public void unlistenForTurns(String client) {
    remove(turnListeners, client);
  }

  public void unlistenForLoads(String client) {
    remove(loadListeners, client);
  }

  public void unlistenForLatches(String client) {
    remove(latchListeners, client);
  }

  /** All listeners of a client share its channel. */
  private synchronized void remove(Map<String, ?> from, String client) {
    boolean last =
        from.remove(client) != null
            && !listeners.containsKey(client)
            && !permitListeners.containsKey(client)
            && !turnListeners.containsKey(client)
            && !loadListeners.containsKey(client)
            && !latchListeners.containsKey(client);
    if (last && connection.isOpen()) {
      connection.async().unsubscribe(start + client);
    }
  }

  @Override
  public void message(String channel, String text) {
    probe.heard();
    if (!channel.startsWith(start)) {
      return;
    }
    String client = channel.substring(start.length());
    if (text.startsWith(TURN)) {
      turn(turnListeners.get(client), text.substring(TURN.length()));
      return;
    }
    if (text.startsWith(LOAD)) {
      load(loadListeners.get(client), text.substring(LOAD.length()));
      return;
    }
    if (text.startsWith(OPENED)) {
      opened(latchListeners.get(client), text.substring(OPENED.length()));
      return;
    }
    boolean permit = text.startsWith(PERMIT);
    Consumer<LockMessage> listener = (permit ? permitListeners : listeners).get(client);
    LockMessage message = read(permit ? text.substring(PERMIT.length()) : text);
    if (listener != null && message != null) {
      listener.accept(message);
    }
  }

  private static void turn(@Nullable Consumer<Long> listener, String ticket) {
    if (listener == null) {
      return;
    }
    try {
      listener.accept(Long.valueOf(ticket));
    } catch (NumberFormatException e) {
      // not ours; see below
    }
  }

  private static void load(@Nullable Consumer<CacheKey> listener, String encoded) {
    CacheKey key = CacheKeys.parse(encoded);
    if (listener != null && key != null) {
      listener.accept(key);
    }
  }

  private static void opened(@Nullable Consumer<String> listener, String encoded) {
    if (listener == null) {
      return;
    }
    String name;
    try {
      name = Names.decode(encoded);
    } catch (IllegalArgumentException e) {
      return; // not ours; see below
    }
    listener.accept(name);
  }

  /** Any client can publish messages, so unknown ones are ignored. */
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
        case "taken" -> new LockMessage(LockMessage.Kind.TAKEN, name);
        default -> null;
      };
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Closes the connection; on one of the application, ends only the subscriptions made here. */
  public synchronized CompletableFuture<Void> close() {
    closed = true;
    if (opener != null) {
      return connection.closeAsync();
    }
    listeners.keySet().forEach(this::unlisten);
    permitListeners.keySet().forEach(this::unlistenForPermits);
    turnListeners.keySet().forEach(this::unlistenForTurns);
    loadListeners.keySet().forEach(this::unlistenForLoads);
    latchListeners.keySet().forEach(this::unlistenForLatches);
    connection.removeListener(this);
    return CompletableFuture.completedFuture(null);
  }
}
