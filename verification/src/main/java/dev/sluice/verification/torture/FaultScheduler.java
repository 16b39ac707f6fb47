package dev.sluice.verification.torture;

import dev.sluice.verification.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/** Lets faults strike at random, one after the other, while it is on. */
final class FaultScheduler {
  /** The receiver of the checker's events. */
  @FunctionalInterface
  interface Desk {
    void say(LongFunction<Event> event);
  }

  private final String where;
  private final List<Fault> faults;
  private final RandomGenerator random;
  private final Desk desk;
  private final int longestGapMillis;
  private final Fault.Notes notes;
  // guarded by this
  private final List<TortureResult.Mark> marks = new ArrayList<>();
  private final Map<String, Long> struck = new TreeMap<>();
  private volatile boolean on;

  FaultScheduler(
      String where, List<Fault> faults, RandomGenerator random, int gapMillis, Desk desk) {
    this.where = where;
    this.faults = faults;
    this.random = random;
    this.longestGapMillis = gapMillis;
    this.desk = desk;
    this.notes =
        new Fault.Notes() {
          @Override
          public void amnesia() {
            desk.say(at -> new Event.Fault(at, Event.Kind.AMNESIA, "", 0));
          }

          @Override
          public void emptied(long nanos) {
            desk.say(at -> new Event.Fault(at, Event.Kind.AMNESIA, "", nanos));
          }

          @Override
          public void stepped(long nanos) {
            desk.say(at -> new Event.Fault(at, Event.Kind.STEPPED, "", nanos));
          }
        };
  }

  /** Starts; each run of the scheduler is a new thread. */
  Thread begin() {
    on = true;
    Thread thread = new Thread(this::blow, "sluice-torture-" + where);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** No new fault; the one under way comes to its end. */
  void calm() {
    on = false;
  }

  private void blow() {
    try {
      while (on) {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(50, longestGapMillis));
        if (on) {
          strike(choose());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Fault choose() {
    int total = faults.stream().mapToInt(Fault::weight).sum();
    int left = random.nextInt(total);
    for (Fault fault : faults) {
      left -= fault.weight();
      if (left < 0) {
        return fault;
      }
    }
    throw new IllegalStateException("no faults");
  }

  private void strike(Fault fault) throws InterruptedException {
    long from = System.nanoTime();
    String what = fault.strike().run(random, notes);
    if (what.isEmpty()) {
      return;
    }
    synchronized (this) {
      marks.add(new TortureResult.Mark(from, System.nanoTime(), where, what));
      struck.merge(fault.name(), 1L, Long::sum);
    }
  }

  synchronized List<TortureResult.Mark> marks() {
    return List.copyOf(marks);
  }

  synchronized Map<String, Long> struck() {
    return new TreeMap<>(struck);
  }
}
