package dev.sluice.jdbc.rows;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The listeners of this process and the events that they wait for. Safe for use by many threads.
 */
public final class Inboxes {

  /**
   * A hint for one client; a lost one costs a poll.
   *
   * @param kind what it is about
   * @param client to whom
   * @param text what
   */
  public record Letter(String kind, String client, String text) {}

  private record Box(String kind, String client) {}

  private final Map<Box, Consumer<String>> boxes = new ConcurrentHashMap<>();

  public void listen(String kind, String client, Consumer<String> listener) {
    boxes.put(new Box(kind, client), listener);
  }

  public void unlisten(String kind, String client) {
    boxes.remove(new Box(kind, client));
  }

  /** Whether the client is in this process. */
  boolean has(Letter letter) {
    return boxes.containsKey(new Box(letter.kind, letter.client));
  }

  public void deliver(Letter letter) {
    Consumer<String> listener = boxes.get(new Box(letter.kind, letter.client));
    if (listener != null) {
      listener.accept(letter.text);
    }
  }

  /** Who listens here to letters of a kind. */
  public Set<String> clients(String kind) {
    return boxes.keySet().stream()
        .filter(box -> box.kind.equals(kind))
        .map(Box::client)
        .collect(Collectors.toSet());
  }

  /** Who listens here. */
  public Set<String> clients() {
    return boxes.keySet().stream().map(Box::client).collect(Collectors.toSet());
  }
}
