package dev.sluice.console.audit;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The recent events, newest first for readers. Changes by users have a separate log, so that
 * nothing else pushes them out. Of the others, those that say the same of the same name within a
 * minute are one, with how often. Safe for use by many threads.
 */
public final class EventLog {
  private static final int MAX_COUNT = 200;
  private static final int MAX_PROCESSES = 3;
  private static final long MINUTE = 60_000;

  /** Facts that may differ among events that are shown as one. */
  private static final Set<String> SUMMED = Set.of("process", "count");

  private final LongSupplier millis;
  // guarded by this
  private final Deque<Event> changes = new ArrayDeque<>();
  private final Deque<Event> others = new ArrayDeque<>();
  private long last;

  public EventLog(LongSupplier millis) {
    this.millis = millis;
  }

  /**
   * Records an event that is not a change.
   *
   * @param severity info, warning or error
   * @param kind a word that the page has a sentence for
   * @param facts names and values in turn, for that sentence
   */
  public void add(String severity, String kind, String... facts) {
    add(false, severity, kind, facts);
  }

  /** An event, of a change or not. */
  public synchronized void add(boolean change, String severity, String kind, String... facts) {
    Map<String, String> with = new LinkedHashMap<>();
    for (int i = 0; i + 1 < facts.length; i += 2) {
      with.put(facts[i], facts[i + 1]);
    }
    long now = millis.getAsLong();
    Event event = new Event(++last, now, now, severity, kind, with, 1);
    Deque<Event> ring = change ? changes : others;
    if (!change && with.containsKey("name")) {
      for (Event earlier : ring) {
        if (earlier.isLike(event)) {
          ring.remove(earlier);
          event = earlier.and(event);
          break;
        }
      }
    }
    ring.addFirst(event);
    if (ring.size() > MAX_COUNT) {
      ring.removeLast();
    }
  }

  /** One event, or equal events of a minute. */
  private record Event(
      long id,
      long since,
      long at,
      String severity,
      String kind,
      Map<String, String> with,
      int times) {

    boolean isLike(Event later) {
      return kind.equals(later.kind)
          && severity.equals(later.severity)
          && since / MINUTE == later.at / MINUTE
          && rest().equals(later.rest());
    }

    private Map<String, String> rest() {
      Map<String, String> rest = new HashMap<>(with);
      rest.keySet().removeAll(SUMMED);
      return rest;
    }

    Event and(Event later) {
      Map<String, String> both = new LinkedHashMap<>(with);
      both.computeIfPresent(
          "count",
          (fact, count) ->
              Long.toString(
                  Long.parseLong(count) + Long.parseLong(later.with.getOrDefault("count", "0"))));
      both.computeIfPresent(
          "process", (fact, names) -> joined(names, later.with.getOrDefault("process", "")));
      return new Event(later.id, since, later.at, severity, kind, both, times + 1);
    }

    private static String joined(String names, String name) {
      List<String> known = List.of(names.split(", "));
      if (known.contains(name) || names.endsWith(", …")) {
        return names;
      }
      return names + ", " + (known.size() < MAX_PROCESSES ? name : "…");
    }

    Map<String, Object> toJson() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("id", id);
      json.put("since", since);
      json.put("at", at);
      json.put("severity", severity);
      json.put("kind", kind);
      json.put("with", with);
      json.put("times", times);
      return json;
    }
  }

  /** The newest of both kinds, up to a number of each. */
  public synchronized List<Map<String, Object>> newest(int most) {
    return Stream.concat(changes.stream().limit(most), others.stream().limit(most))
        .sorted(Comparator.comparingLong(event -> -event.id))
        .map(Event::toJson)
        .toList();
  }
}
