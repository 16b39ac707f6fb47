package dev.sluice.verification.torture;

import dev.sluice.verification.history.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./sluice torture}: real processes, real servers, real faults, a verdict. */
@Command(
    name = "sluice torture",
    description = {
      "Lets client processes fight for locks while servers, lines, clocks and clients fail, and"
          + " checks promises L1 to L8 on what clients and a guarded resource saw.",
      "Exit status 0: every promise held. 1: one broke. 64: bad options. 130: interrupted."
    },
    exitCodeOnInvalidInput = 64,
    mixinStandardHelpOptions = true)
public final class TortureCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--topology",
      paramLabel = "SERVERS",
      description = Topologies.WORDS + " (default: single).")
  private String topology = "single";

  @Option(names = "--seconds", paramLabel = "N", description = "How long, in seconds.")
  private @Nullable Integer seconds;

  @Option(names = "--minutes", paramLabel = "N", description = "The same, in minutes (default: 2).")
  private @Nullable Integer minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Chooses what happens (default: a random one).")
  private long seed = ThreadLocalRandom.current().nextInt(1_000_000);

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "How many runs, with this seed and those after it (default: 1).")
  private int runs = 1;

  @Option(names = "--processes", paramLabel = "N", description = "Client processes (default: 4).")
  private int processes = 4;

  @Option(names = "--workers", paramLabel = "N", description = "Callers in each (default: 3).")
  private int workers = 3;

  @Option(
      names = "--plant",
      paramLabel = "FAULT",
      completionCandidates = PlantWords.class,
      description =
          "A fault to plant in a script or a client, to see it found:"
              + " ${COMPLETION-CANDIDATES}.")
  private @Nullable String plant;

  @Option(
      names = "--peer",
      paramLabel = "SYSTEM",
      description = "Another library, where it is on the class path.")
  private String system = SluiceClient.WORD;

  @Option(names = "--svg", paramLabel = "FILE", description = "Draws what happened.")
  private @Nullable Path svg;

  private TortureCommand() {}

  /**
   * Runs and exits.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    System.exit(new CommandLine(new TortureCommand()).execute(args));
  }

  private static final class PlantWords implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return PlantedFault.words().iterator();
    }
  }

  private Duration time() {
    if (seconds != null && minutes != null) {
      throw new ParameterException(spec.commandLine(), "give --seconds or --minutes, not both");
    }
    if (seconds != null) {
      return Duration.ofSeconds(atLeast(0, "--seconds", seconds));
    }
    return Duration.ofMinutes(minutes == null ? 2 : atLeast(0, "--minutes", minutes));
  }

  private int atLeast(int least, String option, int value) {
    if (value < least) {
      throw new ParameterException(
          spec.commandLine(), option + " must be >= " + least + ": " + value);
    }
    return value;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Duration time = time();
    atLeast(1, "--runs", runs);
    atLeast(1, "--processes", processes);
    atLeast(1, "--workers", workers);
    PlantedFault planted;
    try {
      Topologies.check(topology);
      planted = plant == null ? PlantedFault.NONE : PlantedFault.of(plant);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
    List<Long> broken = new ArrayList<>();
    boolean terminal = System.console() != null;
    for (int i = 0; i < runs; i++) {
      TortureSettings settings =
          new TortureSettings(topology, system, planted, seed + i, time, processes, workers);
      long[] shown = new long[1];
      TortureResult verdict =
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

  private void draw(FailureTimeline timeline) {
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
  private static void keep(TortureResult verdict) throws IOException {
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
