package dev.sluice.jdbc.rows;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The listeners of this process and the events that they wait for. Safe for use by many threads.
 */
public final class EventListeners {

  /**
   * A hint for one client; a lost one costs a poll.
   *
   * @param kind what it is about
   * @param client to whom
   * @param text what
   */
  public record Message(String kind, String client, String text) {}

  private record Key(String kind, String client) {}

  private final Map<Key, Consumer<String>> listeners = new ConcurrentHashMap<>();

  public void listen(String kind, String client, Consumer<String> listener) {
    listeners.put(new Key(kind, client), listener);
  }

  public void unlisten(String kind, String client) {
    listeners.remove(new Key(kind, client));
  }

  /** Whether the client is in this process. */
  boolean has(Message message) {
    return listeners.containsKey(new Key(message.kind, message.client));
  }

  public void deliver(Message message) {
    Consumer<String> listener = listeners.get(new Key(message.kind, message.client));
    if (listener != null) {
      listener.accept(message.text);
    }
  }

  /** The clients that listen to messages of a kind. */
  public Set<String> clients(String kind) {
    return listeners.keySet().stream()
        .filter(key -> key.kind.equals(kind))
        .map(Key::client)
        .collect(Collectors.toSet());
  }

  /** The clients that listen in this process. */
  public Set<String> clients() {
    return listeners.keySet().stream().map(Key::client).collect(Collectors.toSet());
  }
}
