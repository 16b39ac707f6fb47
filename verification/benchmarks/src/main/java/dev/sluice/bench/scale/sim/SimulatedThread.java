package dev.sluice.bench.scale.sim;

import java.util.ArrayDeque;

/** One thread, of a server or of a client: one job at a time, in the order of arrival. */
final class SimulatedThread {
  private record Job(double micros, Runnable done) {}

  private final Events events;
  private final Cores cores;
  private final double wakeMicros;
  private final ArrayDeque<Job> waiting = new ArrayDeque<>();
  private boolean busy;
  private double busyMicros;
  private double jobMicros;
  private double since;
  private double changedAt;
  private long inside;

  /**
   * A thread that sleeps.
   *
   * @param wakeMicros more work for the job that finds it asleep
   */
  SimulatedThread(Events events, Cores cores, double wakeMicros) {
    this.events = events;
    this.cores = cores;
    this.wakeMicros = wakeMicros;
  }

  void offer(double micros, Runnable done) {
    changes(1);
    if (busy) {
      waiting.add(new Job(micros, done));
    } else {
      busy = true;
      start(micros + wakeMicros, done);
    }
  }

  private void start(double micros, Runnable done) {
    cores.run(
        micros,
        () -> {
          changes(-1);
          busyMicros += micros;
          done.run(); // may offer the next job, which then finds the thread awake
          Job next = waiting.poll();
          if (next == null) {
            busy = false;
          } else {
            start(next.micros, next.done);
          }
        });
  }

  private void changes(int by) {
    jobMicros += inside * (events.now() - changedAt);
    changedAt = events.now();
    inside += by;
  }

  /** Forgets what was counted so far. */
  void countAnew() {
    changes(0);
    jobMicros = 0;
    busyMicros = 0;
    since = events.now();
  }

  /** {@return how much of a core its jobs took since then; one under way is not in it} */
  double utilisation() {
    return busyMicros / (events.now() - since);
  }

  /** {@return jobs that were here at a time, on average since then} */
  double meanJobs() {
    changes(0);
    return jobMicros / (events.now() - since);
  }
}
