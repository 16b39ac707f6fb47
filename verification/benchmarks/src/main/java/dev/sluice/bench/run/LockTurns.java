package dev.sluice.bench.run;

import dev.sluice.bench.systems.Library;
import dev.sluice.bench.systems.LockUse;
import dev.sluice.bench.systems.Mutex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The repeated step of a thread with a lock. */
public final class LockTurns implements Callers.Turn {
  /** One way to use a lock. */
  public enum Pattern {
    /** Acquire and release an uncontended lock. */
    OWN_LOCK,
    /** The same with 4 ms of rest before each turn: what a round trip costs on a cold path. */
    OWN_LOCK_RESTED,
    /** Acquire the one lock, add one to the shared counter, release. */
    ONE_LOCK,
    /** Acquire and release the one thing that several may have at a time. */
    ONE_SHARED,
    /**
     * Hold the one lock for 3 ms while the other process waits, and let it have it; measures from
     * just before the release there to the return of acquire here.
     */
    HAND_OVER,
    /** Two processes take the lock in turns, at rest in between; measures acquire. */
    IN_TURNS;

    boolean isCounted() {
      return this == ONE_LOCK || this == HAND_OVER || this == IN_TURNS;
    }

    boolean isOwn() {
      return this == OWN_LOCK || this == OWN_LOCK_RESTED;
    }
  }

  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
  private static final long STEP_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_STEP_BACK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final Pattern pattern;
  private final int process;
  private final Mutex mutex;
  private final SharedPage page;

  private LockTurns(Pattern pattern, int process, Mutex mutex, SharedPage page) {
    this.pattern = pattern;
    this.process = process;
    this.mutex = mutex;
    this.page = page;
  }

  /** Threads with a lock of the library each, or with one for all. */
  public record Threads(Pattern pattern, LockUse use) implements Job.Preparation {
    @Override
    public Loop prepare(Worker worker, WorkOrder order) throws IOException {
      return callers(worker.library(), order, pattern, use);
    }

    @Override
    public void check(String system, Measured done) {
      if (pattern.isCounted()) {
        done.checkExclusion(system);
      }
    }
  }

  static Callers callers(Library library, WorkOrder order, Pattern pattern, LockUse use)
      throws IOException {
    SharedPage page = SharedPage.map(Path.of(order.page()));
    return Callers.threads(
        order,
        number -> {
          String own = order.name() + "/" + order.process() + "/" + number;
          Mutex mutex = library.lock(pattern.isOwn() ? own : order.name(), use);
          return new LockTurns(pattern, order.process(), mutex, page);
        });
  }

  @Override
  public void take(Callers.Caller caller) throws Exception {
    switch (pattern) {
      case OWN_LOCK, ONE_SHARED -> plain(caller);
      case OWN_LOCK_RESTED -> {
        LockSupport.parkNanos(REST_NANOS);
        plain(caller);
      }
      case ONE_LOCK -> counted(caller);
      case HAND_OVER -> handOver(caller);
      case IN_TURNS -> inTurns(caller);
    }
  }

  private void plain(Callers.Caller caller) throws Exception {
    long asked = caller.clock();
    if (asked == 0) {
      mutex.acquire();
      mutex.release();
      caller.count(0, true);
      return;
    }
    mutex.acquire();
    long got = System.nanoTime();
    mutex.release();
    caller.count(got - asked, System.nanoTime() - asked);
  }

  private void counted(Callers.Caller caller) throws Exception {
    long asked = System.nanoTime();
    mutex.acquire();
    long got = System.nanoTime();
    page.increment();
    mutex.release();
    caller.count(got - asked, System.nanoTime() - asked);
  }

  private void handOver(Callers.Caller caller) throws Exception {
    long asked = System.nanoTime();
    mutex.acquire();
    long got = System.nanoTime();
    long released = page.releasedAt();
    boolean cameFromOther =
        page.releasedBy() != 0 && page.releasedBy() != process && asked < released;
    page.increment();
    long own = page.count();
    LockSupport.parkNanos(HOLD_NANOS);
    long releasing = System.nanoTime();
    page.releasing(process, releasing);
    mutex.release();
    if (cameFromOther) {
      caller.count(got - released, System.nanoTime() - releasing);
    } else {
      caller.countNothing();
    }
    stepBack(own, caller);
  }

  /** The waiting process comes first, with any library, even if it polls rarely. */
  private void stepBack(long own, Callers.Caller caller) {
    long end = System.nanoTime() + MAX_STEP_BACK_NANOS;
    LockSupport.parkNanos(STEP_BACK_NANOS);
    while (page.count() == own && !caller.isStopped() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private void inTurns(Callers.Caller caller) throws Exception {
    long turnOf = page.turn();
    if (turnOf != process && !(turnOf == 0 && process == 1)) {
      LockSupport.parkNanos(LOOK_NANOS);
      return;
    }
    LockSupport.parkNanos(REST_NANOS);
    counted(caller);
    page.turn(3 - process);
  }
}
