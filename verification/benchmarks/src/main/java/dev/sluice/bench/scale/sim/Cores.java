package dev.sluice.bench.scale.sim;

import java.util.ArrayDeque;

/** The cores of a machine: first come, first served, without preemption. */
final class Cores {
  private record Job(double micros, Runnable done) {}

  private final Events events;
  private final ArrayDeque<Job> waiting = new ArrayDeque<>();
  private int free;

  /**
   * A machine.
   *
   * @param count how many cores; {@link Integer#MAX_VALUE} where everybody has one of his own
   */
  Cores(Events events, int count) {
    this.events = events;
    this.free = count;
  }

  void run(double micros, Runnable done) {
    if (free == 0) {
      waiting.add(new Job(micros, done));
    } else {
      free--;
      start(micros, done);
    }
  }

  private void start(double micros, Runnable done) {
    events.in(
        micros,
        () -> {
          done.run();
          Job next = waiting.poll();
          if (next == null) {
            free++;
          } else {
            start(next.micros, next.done);
          }
        });
  }
}
