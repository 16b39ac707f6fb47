package dev.sluice.console.store;

import dev.sluice.console.http.Json;
import dev.sluice.console.http.Refusal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The pages that are watched, and the newest snapshot of each. Safe for use by many threads. */
public final class Watchers {
  public static final int MAX = 16;

  private static final long LINGER_NANOS = Duration.ofSeconds(60).toNanos();

  /**
   * A view of a page.
   *
   * @param tick counts the pictures
   * @param before the tick of the picture that {@code changes} are counted from; -1 for none
   * @param picture as it is
   * @param text the same, as JSON
   * @param changes what differs from the picture before, as JSON
   */
  public record Shown(
      long tick, long before, Map<String, Object> picture, String text, String changes) {}

  // guarded by this
  private final Map<View, Integer> counts = new HashMap<>();
  private final Map<View, Shown> shown = new HashMap<>();
  private long lastWatchedNanos = System.nanoTime() - LINGER_NANOS;
  private volatile boolean closed;

  private long ticks; // of the one thread that publishes

  /**
   * Starts a watch of a page.
   *
   * @throws Refusal if there are too many
   */
  public synchronized void enter(View view) {
    if (closed) {
      throw new Refusal(503, "closed", "the console is closed");
    }
    int all = counts.values().stream().mapToInt(Integer::intValue).sum();
    if (all >= MAX) {
      throw new Refusal(503, "too-many-watchers", "at most " + MAX + " pages can be watched");
    }
    if (counts.merge(view, 1, Integer::sum) == 1) {
      shown.remove(view); // no page was watched: the samples may be old
    }
    notifyAll();
  }

  public synchronized void leave(View view) {
    counts.computeIfPresent(view, (v, count) -> count > 1 ? count - 1 : null);
    lastWatchedNanos = System.nanoTime();
  }

  /**
   * Waits for a view that is newer than the last one.
   *
   * @param seen the tick of the last one
   * @return the new one; null if none came in time
   */
  @Nullable
  public synchronized Shown await(View view, long seen, Duration longest)
      throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (!closed) {
      Shown newest = shown.get(view);
      if (newest != null && newest.tick != seen) {
        return newest;
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        return null;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return null;
  }

  public boolean isClosed() {
    return closed;
  }

  /** The views that are watched now. */
  synchronized Set<View> views() {
    return Set.copyOf(counts.keySet());
  }

  /** Returns whether a page is watched, or was during the last minute. */
  synchronized boolean isAny(long now) {
    return !counts.isEmpty() || now - lastWatchedNanos < LINGER_NANOS;
  }

  /** Replaces all snapshots. Called by one thread. */
  void publish(Map<View, Map<String, Object>> fresh) {
    Map<View, Shown> known;
    synchronized (this) {
      known = Map.copyOf(shown);
    }
    Map<View, Shown> next = new HashMap<>();
    long tick = ++ticks;
    fresh.forEach((view, picture) -> next.put(view, shown(tick, known.get(view), picture)));
    synchronized (this) {
      shown.clear();
      shown.putAll(next);
      notifyAll();
    }
  }

  private static Shown shown(long tick, @Nullable Shown before, Map<String, Object> picture) {
    String text = Json.text(picture);
    return before == null
        ? new Shown(tick, -1, picture, text, text)
        : new Shown(
            tick, before.tick, picture, text, Json.text(Changes.between(before.picture, picture)));
  }

  /**
   * Waits for the next sample.
   *
   * @param published whether the last one succeeded: then a page with its first watcher ends this
   */
  synchronized void sleep(long nanos, boolean published) {
    long end = System.nanoTime() + nanos;
    try {
      for (long left = nanos; !closed && left > 0; left = end - System.nanoTime()) {
        if (published && !shown.keySet().containsAll(counts.keySet())) {
          return;
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
