package dev.sluice.bench.run;

import dev.sluice.bench.systems.Shelf;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The threads of one worker process that read one cache from start to stop. */
final class Readers {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Shelf shelf;
  private final String[] keys;
  private final int bytes;
  private final int batch;
  private final List<Reader> readers = new ArrayList<>();
  private volatile boolean measuring;
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;
  private long began;
  private long nanos;
  private long cpuBegan;
  private long cpuNanos;

  /**
   * Readers who do not start yet.
   *
   * @param keys read in a random order that is the same for all; as many as a power of two
   */
  Readers(Shelf shelf, List<String> keys, Order.Read order) {
    List<String> shuffled = new ArrayList<>(keys);
    Collections.shuffle(shuffled, new Random(1));
    this.shelf = shelf;
    this.keys = shuffled.toArray(new String[0]);
    this.bytes = order.bytes();
    this.batch = order.batch();
    for (int i = 0; i < order.threads(); i++) {
      readers.add(new Reader(i));
    }
  }

  void start() {
    readers.forEach(Thread::start);
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

  /** Ends all readers and sums up. */
  Reply stop() throws InterruptedException {
    stopped = true;
    Histogram turns = newHistogram();
    long total = 0;
    long[] perThread = new long[readers.size()];
    for (Reader reader : readers) {
      reader.join(TimeUnit.MINUTES.toMillis(1));
      if (reader.isAlive()) {
        return new Reply.Failed(reader.getName() + " did not come back within a minute");
      }
      total += reader.total;
      perThread[reader.number] = reader.measured;
      turns.add(reader.turns);
    }
    Throwable broken = failure;
    return broken != null
        ? new Reply.Failed("a read failed: " + broken)
        : new Reply.Outcome(total, perThread, nanos, cpuNanos, newHistogram(), turns);
  }

  private static Histogram newHistogram() {
    return new Histogram(1, LONGEST_NANOS, 2);
  }

  private final class Reader extends Thread {
    private final int number;
    private final Histogram turns = newHistogram();
    private long total;
    private long measured;

    Reader(int number) {
      super("bench-" + number);
      this.number = number;
      setDaemon(true);
    }

    @Override
    public void run() {
      int at = number * keys.length / readers.size();
      try {
        while (!stopped) {
          boolean counts = measuring;
          long asked = System.nanoTime();
          read(at);
          at += batch;
          total += batch;
          if (counts) {
            measured += batch;
            turns.recordValue(Math.min((System.nanoTime() - asked) / batch, LONGEST_NANOS));
          }
        }
      } catch (Throwable t) {
        failure = t;
      }
    }

    /** A hit may cost a few nanoseconds, so nothing else is done in this loop. */
    private void read(int from) {
      String[] all = keys;
      int wanted = bytes;
      for (int i = from; i < from + batch; i++) {
        byte[] value = shelf.get(all[i & (all.length - 1)]);
        if (value == null || value.length != wanted) {
          throw new IllegalStateException("not the value that was stored");
        }
      }
    }
  }
}
