package dev.sluice.bench.run;

import dev.sluice.bench.systems.KeyedCall;
import dev.sluice.bench.systems.Shelf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The callers of one worker process: threads, or chains of calls, each at its turns. */
public final class Callers extends Loop {
  /** The repeated step of a caller. */
  public interface Turn {
    /** Does it once, and counts it. */
    void take(Caller caller) throws Exception;
  }

  private final WorkOrder order;
  private final boolean lenient;
  private final List<Caller> callers = new ArrayList<>();
  private final CountDownLatch ended;

  private Callers(WorkOrder order, boolean lenient, IntFunction<Turn> turns) {
    this.order = order;
    this.lenient = lenient;
    this.ended = new CountDownLatch(order.callers());
    for (int i = 0; i < order.callers(); i++) {
      callers.add(new Caller(i, turns.apply(i)));
    }
  }

  /** Threads of which each has its own turns; the first failure ends the run. */
  public static Callers threads(WorkOrder order, IntFunction<Turn> turns) {
    return new Callers(order, false, turns);
  }

  /** Callers that ask for keys at random; a failure is counted, unless every call fails. */
  public static Callers calls(WorkOrder order, KeyedCall call, List<String> keys) {
    String[] all = keys.toArray(new String[0]);
    return new Callers(
        order,
        true,
        number ->
            order.async() ? caller -> caller.chain(call, all) : caller -> caller.ask(call, all));
  }

  /** Threads that claim; an answer that is not the expected one ends the run. */
  public static Callers claims(WorkOrder order, KeyedCall call) {
    return threads(
        order,
        number ->
            caller -> {
              long asked = caller.clock();
              require(call.call(order.name()));
              caller.count(asked, true);
            });
  }

  /** The same, with so many claims of each thread under way; a turn sends one. */
  public static Callers streams(WorkOrder order, KeyedCall call, int underWay) {
    Callers[] made = new Callers[1];
    made[0] =
        threads(
            order,
            number -> {
              Semaphore room = new Semaphore(underWay);
              return caller -> {
                long asked = caller.clock();
                room.acquire();
                call.later(order.name())
                    .thenAccept(Callers::require)
                    .whenComplete(
                        (done, broken) -> {
                          room.release();
                          made[0].failure = broken == null ? made[0].failure : broken;
                        });
                caller.count(asked, true);
              };
            });
    return made[0];
  }

  private static void require(boolean accepted) {
    if (!accepted) {
      throw new IllegalStateException("a claim was not answered as expected");
    }
  }

  /**
   * Threads that read a cache.
   *
   * @param keys read in a random order that is the same for all; as many as a power of two
   * @param bytes length of each value
   * @param batch reads between two looks at the clock
   */
  public static Callers reads(
      WorkOrder order, Shelf shelf, List<String> keys, int bytes, int batch) {
    List<String> shuffled = new ArrayList<>(keys);
    Collections.shuffle(shuffled, new Random(1));
    String[] all = shuffled.toArray(new String[0]);
    return threads(
        order,
        number -> {
          int[] at = {number * all.length / order.callers()};
          return caller -> {
            boolean counts = caller.counts();
            long asked = System.nanoTime();
            read(shelf, all, at[0], batch, bytes);
            at[0] += batch;
            caller.count(counts, batch, System.nanoTime() - asked);
          };
        });
  }

  /** A hit may cost a few nanoseconds, so nothing else is done in this loop. */
  private static void read(Shelf shelf, String[] all, int from, int batch, int bytes) {
    Function<String, byte @Nullable []> cache = shelf.get();
    for (int i = from; i < from + batch; i++) {
      byte[] value = cache.apply(all[i & (all.length - 1)]);
      if (value == null || value.length != bytes) {
        throw new IllegalStateException("not the value that was stored");
      }
    }
  }

  @Override
  protected void start() {
    for (Caller caller : callers) {
      // a chain needs its thread only for its first call, or where answers come synchronously
      Thread thread = new Thread(caller::run, "bench-" + caller.number);
      thread.setDaemon(true);
      thread.start();
    }
  }

  @Override
  protected LoopOutcome stop() throws InterruptedException {
    stopped = true;
    if (!ended.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException(
          ended.getCount() + " callers did not come back from " + order.name() + " in a minute");
    }
    Throwable broken = failure;
    if (broken != null && !lenient) {
      throw new IllegalStateException(order.name() + ": " + broken, broken);
    }
    Histogram waits = newHistogram();
    Histogram turns = newHistogram();
    long total = 0;
    long refused = 0;
    long failed = 0;
    long firstAsked = Long.MAX_VALUE;
    long lastAsked = Long.MIN_VALUE;
    Times admitted = new Times();
    for (Caller caller : callers) {
      total += caller.total;
      refused += caller.refused;
      failed += caller.failed;
      firstAsked = Math.min(firstAsked, caller.firstAsked);
      lastAsked = Math.max(lastAsked, caller.lastAsked);
      waits.add(caller.waits);
      turns.add(caller.turns);
      admitted.addAll(caller.admitted);
    }
    if (failed > 0 && failed == total) {
      throw new IllegalStateException("every call failed: " + broken, broken);
    }
    long[] perCaller = callers.stream().mapToLong(caller -> caller.measured).toArray();
    LoopOutcome plain = outcome(total, perCaller, waits, turns);
    return new LoopOutcome(
        total,
        perCaller,
        plain.nanos(),
        plain.cpuNanos(),
        waits,
        turns,
        refused,
        failed,
        firstAsked,
        lastAsked,
        Arrays.copyOf(admitted.asked, admitted.count),
        Arrays.copyOf(admitted.answered, admitted.count));
  }

  /**
   * The times of calls and of their answers, by the clock that all processes of a machine share.
   */
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
  }

  /** One thread, or one chain of calls of which each starts the next. */
  public final class Caller {
    private final int number;
    private final Turn turn;
    private final SplittableRandom random;
    private final Histogram waits = newHistogram();
    private final Histogram turns = newHistogram();
    private final Times admitted = new Times();
    private long due;
    private long total;
    private long measured;
    private long refused;
    private long failed;
    private long firstAsked = Long.MAX_VALUE;
    private long lastAsked = Long.MIN_VALUE;

    private Caller(int number, Turn turn) {
      this.number = number;
      this.turn = turn;
      this.random = new SplittableRandom(1_000L * order.process() + number);
    }

    private void run() {
      due = System.nanoTime();
      try {
        while (!stopped && (lenient || failure == null)) {
          turn.take(this);
          if (order.async()) {
            return; // the chain counts down
          }
        }
      } catch (Throwable e) {
        failure = e;
      }
      ended.countDown();
    }

    boolean isStopped() {
      return stopped;
    }

    boolean counts() {
      return measuring;
    }

    private String next(String[] keys) {
      return keys.length == 1 ? keys[0] : keys[random.nextInt(keys.length)];
    }

    private void ask(KeyedCall call, String[] keys) {
      if (order.everyNanos() > 0) {
        due += order.everyNanos();
        if (!waitUntil(due)) {
          return;
        }
      }
      String key = next(keys);
      long asked = clock();
      try {
        count(asked, call.call(key));
      } catch (Exception e) {
        fail(e);
      }
    }

    private boolean waitUntil(long time) {
      long left;
      while (!stopped && (left = time - System.nanoTime()) > 0) {
        LockSupport.parkNanos(left);
      }
      return !stopped;
    }

    /** Goes on where the last call was answered, without growing the stack. */
    private void chain(KeyedCall call, String[] keys) {
      while (!stopped) {
        CompletionStage<Boolean> answer;
        long asked = clock();
        try {
          answer = call.later(next(keys));
        } catch (RuntimeException e) {
          fail(e);
          continue;
        }
        Thread here = Thread.currentThread();
        boolean[] answeredHere = {false};
        boolean[] registering = {true};
        answer.whenComplete(
            (passed, problem) -> {
              if (problem == null) {
                count(asked, passed);
              } else {
                fail(problem);
              }
              if (Thread.currentThread() == here && registering[0]) {
                answeredHere[0] = true;
              } else {
                chain(call, keys);
              }
            });
        registering[0] = false; // read by this thread only
        if (!answeredHere[0]) {
          return;
        }
      }
      ended.countDown();
    }

    /** The clock is read for every so many turns: where a turn costs less than reading it. */
    long clock() {
      if (order.recorded()) {
        long now = System.nanoTime();
        firstAsked = Math.min(firstAsked, now);
        lastAsked = now;
        return now;
      }
      return total % order.sampleEvery() == 0 ? System.nanoTime() : 0;
    }

    /** Counts a turn that began when {@link #clock} was read. */
    void count(long asked, boolean passed) {
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
          turns.recordValue(Math.min(answered - asked, MAX_NANOS));
        }
        if (order.recorded() && passed) {
          admitted.add(asked, answered);
        }
      }
    }

    /** Counts a turn with its wait. */
    void count(long waitNanos, long turnNanos) {
      total++;
      if (measuring) {
        measured++;
        waits.recordValue(Math.min(waitNanos, MAX_NANOS));
        turns.recordValue(Math.min(turnNanos, MAX_NANOS));
      }
    }

    /** Counts so many turns that took a time together. */
    void count(boolean counts, int many, long nanos) {
      total += many;
      if (counts) {
        measured += many;
        turns.recordValue(Math.min(nanos / many, MAX_NANOS));
      }
    }

    /** A turn that happened, and of which nothing is measured. */
    void countNothing() {
      total++;
    }

    private void fail(Throwable problem) {
      total++; // but no decision, so it does not raise the rate
      failed++;
      failure = problem;
    }
  }
}
