package dev.sluice.console;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The last things that happened, the newest first for readers. Safe for use by many threads. */
final class EventLog {
  private static final int MOST = 500;

  private final LongSupplier millis;
  // guarded by this
  private final Deque<Map<String, Object>> events = new ArrayDeque<>();
  private long last;

  EventLog(LongSupplier millis) {
    this.millis = millis;
  }

  /**
   * Notes an event.
   *
   * @param severity info, warning or error
   * @param kind a word that the page has a sentence for
   * @param facts names and values in turn, for that sentence
   */
  synchronized void add(String severity, String kind, String... facts) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("id", ++last);
    event.put("at", millis.getAsLong());
    event.put("severity", severity);
    event.put("kind", kind);
    Map<String, String> with = new LinkedHashMap<>();
    for (int i = 0; i + 1 < facts.length; i += 2) {
      with.put(facts[i], facts[i + 1]);
    }
    event.put("with", with);
    events.addFirst(event);
    if (events.size() > MOST) {
      events.removeLast();
    }
  }

  synchronized List<Map<String, Object>> newest(int most) {
    return events.stream().limit(most).toList();
  }

  synchronized List<Map<String, Object>> all() {
    return new ArrayList<>(events);
  }
}
