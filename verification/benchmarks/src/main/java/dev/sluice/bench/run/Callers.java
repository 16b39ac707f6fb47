package dev.sluice.bench.run;

import dev.sluice.bench.systems.Gate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The callers of one worker process, all asking one limiter or filter from start to stop. */
final class Callers {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Order.Calls order;
  private final Gate gate;
  private final String[] keys;
  private final List<Caller> callers = new ArrayList<>();
  private final CountDownLatch ended;
  private volatile boolean measuring;
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;
  private long began;
  private long nanos;
  private long cpuBegan;
  private long cpuNanos;

  Callers(Gate gate, List<String> keys, Order.Calls order) {
    this.order = order;
    this.gate = gate;
    this.keys = keys.toArray(new String[0]);
    this.ended = new CountDownLatch(order.callers());
    for (int i = 0; i < order.callers(); i++) {
      callers.add(new Caller(i));
    }
  }

  void start() {
    for (Caller caller : callers) {
      // a chain needs its thread only for its first call, or where answers come at once
      Thread thread =
          new Thread(order.async() ? caller::chain : caller::loop, "bench-" + caller.number);
      thread.setDaemon(true);
      thread.start();
    }
  }

  void measure() {
    cpuBegan = Crew.cpuNanos();
    began = System.nanoTime();
    measuring = true;
  }

  void pause() {
    measuring = false;
    nanos = System.nanoTime() - began;
    cpuNanos = Crew.cpuNanos() - cpuBegan;
  }

  /** Ends all callers and sums up. */
  Reply stop() throws InterruptedException {
    stopped = true;
    if (!ended.await(1, TimeUnit.MINUTES)) {
      return new Reply.Failed(ended.getCount() + " callers did not come back within a minute");
    }
    Histogram turns = newHistogram();
    long total = 0;
    long refused = 0;
    long failed = 0;
    long firstAsked = Long.MAX_VALUE;
    long lastAsked = Long.MIN_VALUE;
    long[] perCaller = new long[callers.size()];
    Times admitted = new Times();
    for (Caller caller : callers) {
      total += caller.total;
      refused += caller.refused;
      failed += caller.failed;
      firstAsked = Math.min(firstAsked, caller.firstAsked);
      lastAsked = Math.max(lastAsked, caller.lastAsked);
      perCaller[caller.number] = caller.measured;
      turns.add(caller.turns);
      admitted.addAll(caller.admitted);
    }
    if (failed == total) {
      return new Reply.Failed("every call failed: " + failure);
    }
    return new Reply.Admissions(
        new Reply.Outcome(total, perCaller, nanos, cpuNanos, newHistogram(), turns),
        refused,
        failed,
        failure == null ? "" : failure.toString(),
        firstAsked,
        lastAsked,
        admitted.asked(),
        admitted.answered());
  }

  private static Histogram newHistogram() {
    return new Histogram(1, LONGEST_NANOS, 2);
  }

  /** When calls were asked and answered, by the clock that all processes of a machine share. */
  private static final class Times {
    private long[] asked = new long[64];
    private long[] answered = new long[64];
    private int count;

    void add(long from, long to) {
      if (count == asked.length) {
        asked = Arrays.copyOf(asked, 2 * count);
        answered = Arrays.copyOf(answered, 2 * count);
      }
      asked[count] = from;
      answered[count++] = to;
    }

    void addAll(Times other) {
      for (int i = 0; i < other.count; i++) {
        add(other.asked[i], other.answered[i]);
      }
    }

    long[] asked() {
      return Arrays.copyOf(asked, count);
    }

    long[] answered() {
      return Arrays.copyOf(answered, count);
    }
  }

  /** One thread, or one chain of calls of which each starts the next. */
  private final class Caller {
    private final int number;
    private final SplittableRandom random;
    private final Histogram turns = newHistogram();
    private final Times admitted = new Times();
    private long total;
    private long measured;
    private long refused;
    private long failed;
    private long firstAsked = Long.MAX_VALUE;
    private long lastAsked = Long.MIN_VALUE;

    Caller(int number) {
      this.number = number;
      this.random = new SplittableRandom(1_000L * order.process() + number);
    }

    private String nextKey() {
      return keys.length == 1 ? keys[0] : keys[random.nextInt(keys.length)];
    }

    void loop() {
      long due = System.nanoTime();
      while (!stopped) {
        if (order.everyNanos() > 0) {
          due += order.everyNanos();
          if (!waitUntil(due)) {
            break;
          }
        }
        String key = nextKey();
        long asked = ask();
        try {
          count(asked, gate.pass(key));
        } catch (Exception e) {
          fail(e);
        }
      }
      ended.countDown();
    }

    private boolean waitUntil(long due) {
      long left;
      while (!stopped && (left = due - System.nanoTime()) > 0) {
        LockSupport.parkNanos(left);
      }
      return !stopped;
    }

    /** Goes on where the last call was answered, without growing the stack. */
    void chain() {
      while (!stopped) {
        CompletionStage<Boolean> call;
        long asked = ask();
        try {
          call = gate.passLater(nextKey());
        } catch (RuntimeException e) {
          fail(e);
          continue;
        }
        Thread here = Thread.currentThread();
        boolean[] answeredHere = {false};
        boolean[] registering = {true};
        call.whenComplete(
            (passed, problem) -> {
              if (problem == null) {
                count(asked, passed);
              } else {
                fail(problem);
              }
              if (Thread.currentThread() == here && registering[0]) {
                answeredHere[0] = true;
              } else {
                chain();
              }
            });
        registering[0] = false; // read by this thread only
        if (!answeredHere[0]) {
          return;
        }
      }
      ended.countDown();
    }

    /** The clock is read for every so many calls: where a call costs less than reading it. */
    private long ask() {
      if (order.recorded()) {
        long now = System.nanoTime();
        firstAsked = Math.min(firstAsked, now);
        lastAsked = now;
        return now;
      }
      return total % order.sampleEvery() == 0 ? System.nanoTime() : 0;
    }

    private void count(long asked, boolean passed) {
      total++;
      if (!passed) {
        refused++;
      }
      boolean counts = measuring;
      if (counts) {
        measured++;
      }
      if (asked != 0 && (counts || order.recorded())) {
        long answered = System.nanoTime();
        if (counts) {
          turns.recordValue(Math.min(answered - asked, LONGEST_NANOS));
        }
        if (order.recorded() && passed) {
          admitted.add(asked, answered);
        }
      }
    }

    private void fail(Throwable problem) {
      total++; // but no decision, so it does not raise the rate
      failed++;
      failure = problem;
    }
  }
}
