package dev.sluice.console;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The last things that happened, the newest first for readers. What people changed has a place of
 * its own, so that nothing else pushes it out. Safe for use by many threads.
 */
final class EventLog {
  private static final int MOST = 200;

  private final LongSupplier millis;
  // guarded by this
  private final Deque<Map<String, Object>> changes = new ArrayDeque<>();
  private final Deque<Map<String, Object>> others = new ArrayDeque<>();
  private long last;

  EventLog(LongSupplier millis) {
    this.millis = millis;
  }

  /**
   * Notes an event that is no change.
   *
   * @param severity info, warning or error
   * @param kind a word that the page has a sentence for
   * @param facts names and values in turn, for that sentence
   */
  void add(String severity, String kind, String... facts) {
    add(false, severity, kind, facts);
  }

  /** The same, of a change or not. */
  synchronized void add(boolean change, String severity, String kind, String... facts) {
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
    Deque<Map<String, Object>> ring = change ? changes : others;
    ring.addFirst(event);
    if (ring.size() > MOST) {
      ring.removeLast();
    }
  }

  /** The newest of both kinds, at most so many of each. */
  synchronized List<Map<String, Object>> newest(int most) {
    return Stream.concat(changes.stream().limit(most), others.stream().limit(most))
        .sorted(Comparator.comparingLong(event -> -Json.count(event, "id")))
        .toList();
  }
}
