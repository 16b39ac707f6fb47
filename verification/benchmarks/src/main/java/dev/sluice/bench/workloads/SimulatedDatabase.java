package dev.sluice.bench.workloads;

import dev.sluice.bench.run.SharedPage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A simulated database behind a cache; it notes on the shared page which process reads it. */
final class SimulatedDatabase implements Function<String, byte @Nullable []> {
  /** The behaviour of the database. */
  enum Kind {
    /** Has everything, and returns it immediately. */
    FAST,
    /** A read takes 50 ms. */
    SLOW,
    /** The first read ends with its process, and the others take 50 ms. */
    DEADLY,
    /** Has nothing, and returns immediately. */
    EMPTY
  }

  private static final long READ_MILLIS = 50;
  private static final byte[] ROW = new byte[100];

  private final Kind kind;
  private final int process;
  private final SharedPage page;

  SimulatedDatabase(Kind kind, int process, SharedPage page) {
    this.kind = kind;
    this.process = process;
    this.page = page;
  }

  @Override
  public byte @Nullable [] apply(String key) {
    long number = page.loadBegins(process);
    switch (kind) {
      case FAST -> {
        return ROW;
      }
      case SLOW -> pause(READ_MILLIS);
      case DEADLY -> pause(number == 1 ? TimeUnit.MINUTES.toMillis(2) : READ_MILLIS);
      case EMPTY -> {
        return null;
      }
    }
    page.loadEnds(System.nanoTime());
    return ROW;
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
