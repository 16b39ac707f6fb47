package dev.sluice.verification.torture;

import dev.sluice.verification.history.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice torture}: real processes, real servers, real faults, a verdict. */
public final class Main {
  private static final String USAGE =
      """
      Lets client processes fight for locks while servers, lines, clocks and clients fail, and checks
      promises L1 to L8 on what clients and a guarded resource saw.

        ./sluice torture [--topology %s] [--seconds N | --minutes N] [--seed S] [--runs N]
                         [--processes N] [--workers N] [--plant FAULT] [--peer SYSTEM] [--svg FILE]

      --plant puts a fault of our own making into a script or a client, to see it found%s.
      --peer looks at another library, where it is on the class path.
      Ends with 0 when every promise held, 1 when one broke, 130 when interrupted."""
          .formatted(Topologies.WORDS, Plant.words());

  private String topology = "single";
  private String system = SluiceClient.WORD;
  private Plant plant = Plant.NONE;
  private Duration time = Duration.ofMinutes(2);
  private long seed = ThreadLocalRandom.current().nextInt(1_000_000);
  private int runs = 1;
  private int processes = 4;
  private int workers = 3;
  private @Nullable Path svg;

  private Main() {}

  /**
   * Runs and exits.
   *
   * @param args see the usage text
   * @throws IOException if something could not be started or written
   * @throws InterruptedException never
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Main main = new Main();
    try {
      if (!main.parse(args)) {
        System.out.println(USAGE);
        return;
      }
    } catch (IllegalArgumentException e) {
      System.err.println("sluice torture: " + e.getMessage());
      System.err.println(USAGE);
      System.exit(64);
    }
    System.exit(main.run());
  }

  private boolean parse(String[] args) {
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--topology" -> topology = word(args, ++i);
        case "--peer" -> system = word(args, ++i);
        case "--plant" -> plant = Plant.of(word(args, ++i));
        case "--seconds" -> time = Duration.ofSeconds(number(args, ++i));
        case "--minutes" -> time = Duration.ofMinutes(number(args, ++i));
        case "--seed" -> seed = number(args, ++i);
        case "--runs" -> runs = (int) number(args, ++i);
        case "--processes" -> processes = (int) number(args, ++i);
        case "--workers" -> workers = (int) number(args, ++i);
        case "--svg" -> svg = Path.of(word(args, ++i));
        case "--help", "-h" -> {
          return false;
        }
        default -> throw new IllegalArgumentException("unknown option: " + args[i]);
      }
    }
    return true;
  }

  private static String word(String[] args, int at) {
    if (at >= args.length) {
      throw new IllegalArgumentException(args[at - 1] + " needs a value");
    }
    return args[at];
  }

  private static long number(String[] args, int at) {
    try {
      long number = Long.parseLong(word(args, at));
      if (number < 0) {
        throw new IllegalArgumentException(args[at - 1] + " must not be negative: " + number);
      }
      return number;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(args[at - 1] + " needs a number: " + args[at], e);
    }
  }

  private int run() throws IOException, InterruptedException {
    List<Long> broken = new ArrayList<>();
    boolean terminal = System.console() != null;
    for (int i = 0; i < runs; i++) {
      Settings settings = new Settings(topology, system, plant, seed + i, time, processes, workers);
      long[] shown = new long[1];
      Verdict verdict =
          Torture.run(
              settings,
              line -> {
                if (terminal) {
                  System.err.print("\r" + line + "\033[K");
                } else if (shown[0]++ % 15 == 0) {
                  System.err.println(line);
                }
              },
              this::draw);
      if (terminal) {
        System.err.print("\r\033[K");
      }
      System.out.println(verdict.text());
      if (!verdict.held()) {
        broken.add(settings.seed());
        keep(verdict);
      }
    }
    if (runs > 1) {
      System.out.println(
          runs + " runs: " + (broken.isEmpty() ? "every promise held" : "broken by " + broken));
    }
    return broken.isEmpty() ? 0 : 1;
  }

  private void draw(Timeline timeline) {
    Path file = svg;
    if (file == null) {
      return;
    }
    try {
      Files.writeString(file, timeline.svg());
    } catch (IOException e) {
      System.err.println("sluice torture: " + file + " could not be written: " + e.getMessage());
    }
  }

  /** The end of the history of a run that failed. */
  private static void keep(Verdict verdict) throws IOException {
    Path file = Files.createTempFile("sluice-torture-" + verdict.settings().seed() + "-", ".txt");
    List<String> lines = new ArrayList<>();
    for (Event event : verdict.lastEvents()) {
      lines.add(event.toString());
    }
    verdict.marks().forEach(mark -> lines.add(mark.toString()));
    lines.add(verdict.text());
    Files.write(file, lines);
    System.out.println("  the end of its history is in " + file);
  }
}
