package dev.sluice.bench.scale.sim;

import java.util.PriorityQueue;

/**
 * The events in virtual microseconds, in order of time. Events of one moment happen in the order of
 * entry.
 */
final class Events {
  private record Event(double at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Double.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Event> queue = new PriorityQueue<>();
  private double now;
  private long entered;

  double now() {
    return now;
  }

  void in(double micros, Runnable action) {
    queue.add(new Event(now + micros, entered++, action));
  }

  /** Lets everything happen that is due by then. */
  void run(double until) {
    while (!queue.isEmpty() && queue.peek().at <= until) {
      Event next = queue.remove();
      now = next.at;
      next.action.run();
    }
    now = until;
  }
}
