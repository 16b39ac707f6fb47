package dev.sluice.verification.simulation;

import dev.sluice.verification.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./sluice simulate}: runs schedules by the thousand, or one of them line by line. */
@Command(
    name = "sluice simulate",
    description = {
      "Runs random schedules of the lock under faults and checks promises L1 to L8.",
      "Exit status 0: every promise held. 1: one broke. 64: bad options. 130: interrupted."
    },
    exitCodeOnInvalidInput = 64,
    mixinStandardHelpOptions = true)
public final class SimulateCommand implements Callable<Integer> {
  private static final int MAX_FAILURES = 10;
  private static final int EVENTS_SHOWN = 40;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--from", paramLabel = "S", description = "The first seed (default: 0).")
  private long from;

  @Option(names = "--seeds", paramLabel = "N", description = "How many schedules (default: 10000).")
  private long count = 10_000;

  @Option(names = "--seed", paramLabel = "S", description = "One schedule, instead.")
  private @Nullable Long seed;

  @Option(names = "--trace", description = "With --seed: prints all of its history.")
  private boolean trace;

  private final List<Long> failed = new ArrayList<>();
  private volatile boolean stop;
  private long done;
  private long events;

  private SimulateCommand() {}

  /**
   * Runs and exits.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    SimulateCommand command = new SimulateCommand();
    int status = new CommandLine(command).execute(args);
    if (!command.stop) {
      System.exit(status);
    }
  }

  @Override
  public Integer call() {
    if (seed != null) {
      from = seed;
      count = 1;
    } else if (trace) {
      throw new ParameterException(spec.commandLine(), "--trace needs --seed");
    }
    if (count < 1) {
      throw new ParameterException(spec.commandLine(), "--seeds must be >= 1: " + count);
    }
    // losses are what these schedules are made of: no log line for each
    Logger quiet = Logger.getLogger("dev.sluice.lock");
    quiet.setLevel(Level.OFF);
    Thread worker = Thread.currentThread();
    Thread hook =
        new Thread(
            () -> {
              stop = true;
              try {
                worker.join(5000);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    Runtime.getRuntime().addShutdownHook(hook);
    return run();
  }

  private int run() {
    long start = System.nanoTime();
    long shown = start;
    boolean terminal = System.console() != null;
    for (long next = from; done < count && !stop && failed.size() < MAX_FAILURES; next++) {
      runOne(next);
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

  private void runOne(long number) {
    Simulation.Result result;
    try {
      result = Simulation.run(number);
    } catch (RuntimeException | Error e) {
      failed.add(number);
      System.out.println("seed " + number + " ended with an exception");
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
      failed.add(number);
      System.out.println(result.report(trace ? 0 : EVENTS_SHOWN));
      System.out.println();
    } else if (trace) {
      System.out.println(result.profile());
    }
  }
}
