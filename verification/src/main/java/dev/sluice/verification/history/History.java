package dev.sluice.verification.history;

import java.util.ArrayList;
import java.util.List;

/** Events in order. Not thread-safe. */
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
}
