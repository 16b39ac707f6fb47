package dev.sluice.bench.run;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.bench.systems.LockSystem;
import dev.sluice.bench.systems.Mutex;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The threads of one worker process, all running one pattern from start to stop. */
final class Crew {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
  private static final long STEP_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_STEP_BACK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final Order.Start order;
  private final SharedPage page;
  private final List<Member> members = new ArrayList<>();
  private volatile boolean measuring;
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;
  private long began;
  private long nanos;
  private long cpuBegan;
  private long cpuNanos;

  Crew(LockSystem system, Order.Start order, SharedPage page) {
    this.order = order;
    this.page = page;
    for (int i = 0; i < order.threads(); i++) {
      boolean own =
          order.pattern() == Pattern.OWN_LOCK || order.pattern() == Pattern.OWN_LOCK_RESTED;
      String lock = own ? order.lock() + "/" + order.process() + "/" + i : order.lock();
      members.add(new Member(system.mutex(lock, order.habit())));
    }
  }

  void start() {
    members.forEach(Thread::start);
  }

  void measure() {
    cpuBegan = cpuNanos();
    began = System.nanoTime();
    measuring = true;
  }

  void pause() {
    measuring = false;
    nanos = System.nanoTime() - began;
    cpuNanos = cpuNanos() - cpuBegan;
  }

  /** Ends all threads and sums up. */
  Reply stop() throws InterruptedException {
    stopped = true;
    Histogram wait = newHistogram();
    Histogram turn = newHistogram();
    long total = 0;
    long[] perThread = new long[members.size()];
    for (int i = 0; i < perThread.length; i++) {
      Member member = members.get(i);
      member.join(TimeUnit.MINUTES.toMillis(1));
      if (member.isAlive()) {
        return new Reply.Failed(
            member.getName() + " did not come back from " + order.lock() + " within a minute");
      }
      total += member.total;
      perThread[i] = member.measured;
      wait.add(member.wait);
      turn.add(member.turn);
    }
    Throwable broken = failure;
    return broken != null
        ? new Reply.Failed(order.lock() + ": " + broken)
        : new Reply.Outcome(total, perThread, nanos, cpuNanos, wait, turn);
  }

  static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static Histogram newHistogram() {
    return new Histogram(1, LONGEST_NANOS, 2);
  }

  private final class Member extends Thread {
    private final Mutex mutex;
    final Histogram wait = newHistogram();
    final Histogram turn = newHistogram();
    long total;
    long measured;

    Member(Mutex mutex) {
      super("bench-" + members.size());
      this.mutex = mutex;
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        while (!stopped && failure == null) {
          switch (order.pattern()) {
            case OWN_LOCK, ONE_SHARED -> ownLock();
            case OWN_LOCK_RESTED -> {
              LockSupport.parkNanos(REST_NANOS);
              ownLock();
            }
            case ONE_LOCK -> oneLock();
            case HAND_OVER -> handOver();
            case IN_TURNS -> inTurns();
          }
        }
      } catch (Throwable e) {
        failure = e;
      }
    }

    private void ownLock() throws Exception {
      if (total % order.sampleEvery() != 0) {
        mutex.acquire();
        mutex.release();
        count();
        return;
      }
      long asked = System.nanoTime();
      mutex.acquire();
      long got = System.nanoTime();
      mutex.release();
      count(got - asked, System.nanoTime() - asked);
    }

    private void oneLock() throws Exception {
      long asked = System.nanoTime();
      mutex.acquire();
      long got = System.nanoTime();
      page.increment();
      mutex.release();
      count(got - asked, System.nanoTime() - asked);
    }

    private void handOver() throws Exception {
      long asked = System.nanoTime();
      mutex.acquire();
      long got = System.nanoTime();
      long released = page.releasedAt();
      boolean cameFromOther =
          page.releasedBy() != 0 && page.releasedBy() != order.process() && asked < released;
      page.increment();
      long own = page.count();
      LockSupport.parkNanos(HOLD_NANOS);
      long releasing = System.nanoTime();
      page.releasing(order.process(), releasing);
      mutex.release();
      if (cameFromOther) {
        count(got - released, System.nanoTime() - releasing);
      } else {
        total++;
      }
      stepBack(own);
    }

    /** The one who waits comes first, whatever the library, even if it asks rarely. */
    private void stepBack(long own) {
      long end = System.nanoTime() + LONGEST_STEP_BACK_NANOS;
      LockSupport.parkNanos(STEP_BACK_NANOS);
      while (page.count() == own && !stopped && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }

    private void inTurns() throws Exception {
      long turnOf = page.turn();
      if (turnOf != order.process() && !(turnOf == 0 && order.process() == 1)) {
        LockSupport.parkNanos(LOOK_NANOS);
        return;
      }
      LockSupport.parkNanos(REST_NANOS);
      long asked = System.nanoTime();
      mutex.acquire();
      long got = System.nanoTime();
      page.increment();
      mutex.release();
      count(got - asked, System.nanoTime() - asked);
      page.turn(3 - order.process());
    }

    private void count(long waitNanos, long turnNanos) {
      total++;
      if (measuring) {
        measured++;
        wait.recordValue(Math.min(waitNanos, LONGEST_NANOS));
        turn.recordValue(Math.min(turnNanos, LONGEST_NANOS));
      }
    }

    private void count() {
      total++;
      if (measuring) {
        measured++;
      }
    }
  }
}
