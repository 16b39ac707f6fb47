package dev.sluice.bench.run;

import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The order to the callers of one worker process.
 *
 * @param name name of the lock, limiter, filter, cache or stock, fresh for each measurement
 * @param process number of this process in the measurement, from 1
 * @param callers threads, or calls in flight
 * @param async whether callers are calls in flight
 * @param sampleEvery every how many turns the clock is read
 * @param everyNanos time between two calls of a thread; 0 for none
 * @param recorded whether the times of all admissions are reported
 * @param page file of the {@link SharedPage}
 */
public record WorkOrder(
    String name,
    int process,
    int callers,
    boolean async,
    int sampleEvery,
    long everyNanos,
    boolean recorded,
    String page)
    implements Serializable {
  /** An order for the first process, with the clock read for each turn. */
  public static WorkOrder of(String name, int callers) {
    return new WorkOrder(name, 1, callers, false, 1, 0, false, "");
  }

  /** {@return the same for calls in flight} */
  public WorkOrder asynchronous() {
    return new WorkOrder(name, process, callers, true, sampleEvery, everyNanos, recorded, page);
  }

  /** {@return the same with the clock read every so many turns} */
  public WorkOrder sampled(int turns) {
    return new WorkOrder(name, process, callers, async, turns, everyNanos, recorded, page);
  }

  /** {@return the same with so much time between two calls of a thread, all of them recorded} */
  public WorkOrder every(Duration time) {
    return new WorkOrder(name, process, callers, async, sampleEvery, time.toNanos(), true, page);
  }

  /** {@return the same with a name} */
  public WorkOrder named(String text) {
    return new WorkOrder(text, process, callers, async, sampleEvery, everyNanos, recorded, page);
  }

  WorkOrder in(int number, Path file) {
    return new WorkOrder(
        name, number, callers, async, sampleEvery, everyNanos, recorded, file.toString());
  }
}
