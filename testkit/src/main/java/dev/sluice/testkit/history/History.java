package dev.sluice.testkit.history;

import java.util.ArrayList;
import java.util.List;

/** What happened, in order. Not safe for use by several threads at once. */
public final class History {
  private final List<Event> events = new ArrayList<>(1024);

  /** An empty history. */
  public History() {}

  /**
   * Adds the latest event.
   *
   * @param event not earlier than the last one
   */
  public void add(Event event) {
    events.add(event);
  }

  /** {@return all events, oldest first} */
  public List<Event> events() {
    return events;
  }

  /**
   * The end of the history as text.
   *
   * @param last how many events at most
   * @return one line each
   */
  public String tail(int last) {
    StringBuilder text = new StringBuilder();
    for (Event event : events.subList(Math.max(0, events.size() - last), events.size())) {
      text.append(event).append('\n');
    }
    return text.toString();
  }
}
