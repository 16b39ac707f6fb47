package dev.sluice.verification.torture;

import dev.sluice.verification.history.Event;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes one history of several, each of which comes in order. An event goes on when no source can
 * still bring an earlier one. Safe for use by many threads.
 */
final class Merge {
  private static final class Source {
    final Deque<Event> events = new ArrayDeque<>();
    long heard = Long.MIN_VALUE;
    boolean ended;
  }

  private final Map<String, Source> sources = new HashMap<>(); // guarded by this
  private final Consumer<Event> next;

  /**
   * Without sources yet.
   *
   * @param next gets the events in order, one at a time, on the thread that adds one
   */
  Merge(Consumer<Event> next) {
    this.next = next;
  }

  /** A source of which events come from now on. */
  synchronized void open(String source) {
    Source opened = new Source();
    opened.heard = System.nanoTime();
    sources.put(source, opened);
  }

  synchronized void add(String source, Event event) {
    Source from = sources.get(source);
    if (from != null && !from.ended) {
      from.events.add(event);
      from.heard = event.at();
      drain();
    }
  }

  /** Nothing earlier than this will come from a source. */
  synchronized void heard(String source, long at) {
    Source from = sources.get(source);
    if (from != null && at > from.heard) {
      from.heard = at;
      drain();
    }
  }

  /** Nothing more will come from a source. */
  synchronized void close(String source) {
    Source from = sources.get(source);
    if (from != null) {
      from.ended = true;
      drain();
    }
  }

  /** {@return how long ago the source was heard that all others wait for, nanoseconds} */
  synchronized long behind() {
    long now = System.nanoTime();
    return sources.values().stream()
        .filter(source -> !source.ended && source.events.isEmpty())
        .mapToLong(source -> now - source.heard)
        .max()
        .orElse(0);
  }

  private void drain() {
    while (true) {
      Source first = null;
      String name = null;
      for (Map.Entry<String, Source> entry : sources.entrySet()) {
        Source source = entry.getValue();
        if (source.ended && source.events.isEmpty()) {
          continue;
        }
        if (first == null || time(source) < time(first)) {
          first = source;
          name = entry.getKey();
        }
      }
      @Nullable Event event = first == null ? null : first.events.poll();
      if (event == null) {
        sources.values().removeIf(source -> source.ended && source.events.isEmpty());
        return;
      }
      next.accept(event);
      if (first != null && first.ended && first.events.isEmpty()) {
        sources.remove(name);
      }
    }
  }

  /** The earliest time that may still come from it. */
  private static long time(Source source) {
    Event first = source.events.peek();
    return first == null ? source.heard : first.at();
  }
}
