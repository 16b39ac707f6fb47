package dev.sluice.bench;

import dev.sluice.bench.report.Facts;
import dev.sluice.bench.soak.PlantedLeak;
import dev.sluice.bench.soak.Soak;
import dev.sluice.bench.soak.SoakReport;
import dev.sluice.text.Secrets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice soak}: a long run under load and faults, in which nothing may grow. */
@Command(
    name = "soak",
    description = {
      "Uses all features together for a long time, while connections, lines and the server fail,",
      "and reports whether heap, threads, connections, keys or anything else grows.",
      "Exit status 0: nothing grew beyond its bound, and every promise held.",
      "1: something did, or a promise was broken. 130: interrupted."
    },
    mixinStandardHelpOptions = true)
final class SoakCommand implements Callable<Integer> {
  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Option(names = "--minutes", paramLabel = "N", description = "How long. Default: 30.")
  private @Nullable Integer minutes;

  @Option(names = "--seconds", paramLabel = "N", description = "The same, shorter.")
  private @Nullable Integer seconds;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "A redis:// or rediss:// server to use; nothing goes wrong on purpose then."
              + " Default: the run starts one.")
  private @Nullable String url;

  @Option(names = "--seed", paramLabel = "S", description = "Chooses faults and load.")
  private long seed = ThreadLocalRandom.current().nextInt(1_000_000);

  @Option(
      names = "--plant",
      split = ",",
      paramLabel = "LEAK",
      description = "A leak of our own making, to see it found: ${COMPLETION-CANDIDATES}.")
  private Set<PlantedLeak> plants = EnumSet.noneOf(PlantedLeak.class);

  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: .run/soak.")
  private @Nullable Path out;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description = "Also puts the report into its place in this document.")
  private @Nullable Path into;

  @Override
  public Integer call() throws Exception {
    Duration time = time();
    String target = url;
    if (target != null && !target.matches("rediss?://.*")) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--url must be redis:// or rediss://: " + Secrets.mask(target));
    }
    Soak soak = new Soak(time, target, seed, plants);
    CountDownLatch written = new CountDownLatch(1);
    Thread hook = new Thread(() -> endEarly(soak, written), "soak-end");
    Runtime.getRuntime().addShutdownHook(hook);
    Progress progress = new Progress();
    SoakReport report;
    try {
      report = soak.run(progress::report);
      progress.end();
      Path folder = out == null ? ReportCommand.home().resolve(".run/soak") : out;
      Facts facts = new Facts("Soak", facts());
      report.write(folder, facts);
      if (into != null) {
        report.publish(into, facts);
      }
      System.out.println(report.markdown(facts));
      System.out.println("written: " + folder.resolve("soak") + ".md, .svg");
    } finally {
      written.countDown();
    }
    System.out.println(report.verdict());
    return report.isWithinBounds() ? 0 : 1;
  }

  private Duration time() {
    if (minutes != null && seconds != null) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "give --minutes or --seconds, not both");
    }
    Duration time =
        seconds != null
            ? Duration.ofSeconds(seconds)
            : Duration.ofMinutes(minutes != null ? minutes : 30);
    if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(7)) > 0) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "the run must take 1 second to 7 days: " + time.toSeconds() + " s");
    }
    return time;
  }

  private Map<String, String> facts() {
    String flags = "none, one process has everything but the server";
    Map<String, String> facts =
        Machine.facts(flags, "./sluice soak --seed " + seed + " --seconds " + time().toSeconds());
    facts.put(
        "Redis",
        url == null
            ? "started by the run, every write on disk, faults on"
            : Secrets.mask(url) + ", no faults");
    if (!plants.isEmpty()) {
      facts.put("Planted", plants.toString());
    }
    return facts;
  }

  /** Ctrl-C: the report of what there is. */
  private static void endEarly(Soak soak, CountDownLatch written) {
    soak.stop();
    try {
      written.await(40, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
