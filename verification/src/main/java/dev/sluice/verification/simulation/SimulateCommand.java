package dev.sluice.verification.simulation;

import dev.sluice.verification.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice simulate}: runs schedules by the thousand, or one of them line by line. */
public final class Main {
  private static final String USAGE =
      """
      Runs random schedules of the lock under faults and checks promises L1 to L8.

        ./sluice simulate [--seeds N] [--from S]     N schedules (10000), seeds S (0) and up
        ./sluice simulate --seed S [--trace]         one schedule; --trace prints all of its history

      Ends with 0 when every promise held, 1 when one broke, 130 when interrupted.""";

  private static final int MOST_FAILURES = 10;
  private static final int EVENTS_SHOWN = 40;

  private final long from;
  private final long count;
  private final boolean trace;
  private final List<Long> failed = new ArrayList<>();
  private volatile boolean stop;
  private long done;
  private long events;

  private Main(long from, long count, boolean trace) {
    this.from = from;
    this.count = count;
    this.trace = trace;
  }

  /**
   * Runs and exits.
   *
   * @param args see the usage text
   */
  public static void main(String[] args) {
    Main main;
    try {
      main = parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("sluice simulate: " + e.getMessage());
      System.err.println(USAGE);
      System.exit(64);
      return;
    }
    if (main == null) {
      System.out.println(USAGE);
      return;
    }
    // losses are what these schedules are made of: no log line for each
    Logger quiet = Logger.getLogger("dev.sluice.lock");
    quiet.setLevel(Level.OFF);
    Thread worker = Thread.currentThread();
    Thread hook =
        new Thread(
            () -> {
              main.stop = true;
              try {
                worker.join(5000);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    Runtime.getRuntime().addShutdownHook(hook);
    int status = main.run();
    if (!main.stop) {
      System.exit(status);
    }
  }

  private static @Nullable Main parse(String[] args) {
    long from = 0;
    long count = 10_000;
    boolean trace = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--trace" -> trace = true;
        case "--seeds" -> count = number(args, ++i);
        case "--from" -> from = number(args, ++i);
        case "--seed" -> {
          from = number(args, ++i);
          count = 1;
        }
        case "--help", "-h" -> {
          return null;
        }
        default -> throw new IllegalArgumentException("unknown option: " + args[i]);
      }
    }
    if (count < 1) {
      throw new IllegalArgumentException("--seeds must be >= 1: " + count);
    }
    if (trace && count != 1) {
      throw new IllegalArgumentException("--trace needs --seed");
    }
    return new Main(from, count, trace);
  }

  private static long number(String[] args, int at) {
    if (at >= args.length) {
      throw new IllegalArgumentException(args[at - 1] + " needs a number");
    }
    try {
      return Long.parseLong(args[at]);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(args[at - 1] + " needs a number: " + args[at], e);
    }
  }

  private int run() {
    long start = System.nanoTime();
    long shown = start;
    boolean terminal = System.console() != null;
    for (long seed = from; done < count && !stop && failed.size() < MOST_FAILURES; seed++) {
      runOne(seed);
      done++;
      long now = System.nanoTime();
      if (terminal && now - start > 2_000_000_000L && now - shown > 200_000_000L) {
        shown = now;
        System.err.printf(
            Locale.ROOT, "\r%d of %d schedules, %.0f/s ", done, count, rate(now - start));
      }
    }
    long nanos = System.nanoTime() - start;
    if (terminal && shown != start) {
      System.err.print("\r\033[K");
    }
    System.out.printf(
        Locale.ROOT,
        "%d schedules from seed %d in %.1f s, %.0f/s, %d events: %s%n",
        done,
        from,
        nanos / 1e9,
        rate(nanos),
        events,
        failed.isEmpty() ? "every promise held" : "broken by seeds " + failed);
    return failed.isEmpty() ? 0 : 1;
  }

  private double rate(long nanos) {
    return done / Math.max(1e-9, nanos / 1e9);
  }

  private void runOne(long seed) {
    Simulation.Result result;
    try {
      result = Simulation.run(seed);
    } catch (RuntimeException | Error e) {
      failed.add(seed);
      System.out.println("seed " + seed + " ended with an exception");
      e.printStackTrace(System.out);
      return;
    }
    events += result.history().events().size();
    if (trace) {
      for (Event event : result.history().events()) {
        System.out.println(event);
      }
    }
    if (result.violation().isPresent()) {
      failed.add(seed);
      System.out.println(result.report(trace ? 0 : EVENTS_SHOWN));
      System.out.println();
    } else if (trace) {
      System.out.println(result.profile());
    }
  }
}
