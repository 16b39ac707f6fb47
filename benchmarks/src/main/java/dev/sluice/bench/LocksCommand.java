package dev.sluice.bench;

import dev.sluice.bench.locks.LockRun;
import dev.sluice.bench.locks.Pace;
import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.SystemKind;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench locks}: the first chapter. */
@Command(
    name = "locks",
    description = {
      "Locks: Sluice, Redisson, Spring Integration and the least that Lettuce can do, in turns on one Redis.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class LocksCommand implements Callable<Integer> {
  @Option(names = "--quick", description = "Two to three minutes instead of about ten.")
  private boolean quick;

  @Option(
      names = "--only",
      paramLabel = "WORKLOAD",
      description = "Only workloads whose name begins so; may be repeated.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<SystemKind> systems = EnumSet.allOf(SystemKind.class);

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds of each workload.")
  private int rounds;

  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: .run/bench.")
  private @Nullable Path out;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description = "Also puts the tables into this document, after its line <!-- results -->.")
  private @Nullable Path into;

  @Option(
      names = "--jvm",
      paramLabel = "FLAG",
      description = "Flag for every worker JVM, such as one that starts a profiler.")
  private List<String> jvmFlags = new ArrayList<>();

  @Option(names = "--list", description = "Names the workloads and ends.")
  private boolean list;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    List<String> ids;
    Pace pace = quick ? Pace.quick() : Pace.full();
    try {
      ids = LockRun.ids(only);
      pace = rounds == 0 ? pace : pace.withRounds(rounds);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    if (list) {
      ids.forEach(System.out::println);
      return 0;
    }
    try (Bench bench = Bench.start(jvmFlags)) {
      Thread hook = new Thread(bench::abort, "bench-abort");
      Runtime.getRuntime().addShutdownHook(hook);
      try {
        return run(bench, pace);
      } finally {
        unhook(hook);
      }
    }
  }

  private static void unhook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      halfway(); // Ctrl-C: the hook is at work, and what fails here fails because of it
    }
  }

  private static void halfway() {
    while (true) {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private int run(Bench bench, Pace pace) throws Exception {
    Progress progress = new Progress();
    Map<String, String> facts = Machine.facts(bench, commandLine());
    List<Section> sections;
    try {
      sections = new LockRun(bench, pace, only, systems, progress::tell).run();
    } finally {
      progress.end();
    }
    facts.put(
        "Rounds",
        pace.rounds()
            + " of "
            + pace.window().toMillis()
            + " ms each after "
            + pace.leadIn().toMillis()
            + " ms of lead-in, the systems in turns and in changing order; medians, with least and"
            + " most; ratios are medians of the ratios within a round");
    facts.put(
        "Commands",
        "executed: commandstats of the server over all turns, those inside scripts included; sent:"
            + " of these, the share that MONITOR saw coming from clients, watched after the timed"
            + " part of the first round; CPU: of the process (client) and of INFO cpu (server)");
    Report report = new Report(new Facts("Locks, side by side on one Redis", facts), sections);
    Path folder = out == null ? home().resolve(".run/bench") : out;
    report.write(folder, "locks");
    if (into != null) {
      report.publish(into, "locks");
    }
    System.out.println(report.markdown());
    System.out.println("written: " + folder.resolve("locks") + ".md, .json, .svg");
    List<Goal> missed = report.goals().stream().filter(goal -> !goal.met()).toList();
    System.out.printf(
        "%d of %d goals met%n", report.goals().size() - missed.size(), report.goals().size());
    return 0;
  }

  private String commandLine() {
    List<String> words = new ArrayList<>(List.of("./sluice", "bench"));
    words.addAll(spec.commandLine().getParent().getParseResult().originalArgs());
    return String.join(" ", words);
  }

  /** The source tree that this was built from, or the working directory. */
  static Path home() throws URISyntaxException {
    Path classes =
        Path.of(LocksCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    for (Path folder = classes; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("benchmarks/pom.xml"))) {
        return folder;
      }
    }
    return Path.of("").toAbsolutePath();
  }
}
