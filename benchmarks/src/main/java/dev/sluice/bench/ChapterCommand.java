package dev.sluice.bench;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Peer;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** One chapter: its options, its run and its report. */
abstract class ChapterCommand implements Callable<Integer> {
  @Option(names = "--quick", description = "Two to three minutes instead of about ten.")
  private boolean quick;

  @Option(
      names = "--only",
      paramLabel = "WORKLOAD",
      description = "Only workloads whose name begins so; may be repeated.")
  private List<String> only = new ArrayList<>();

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds of each workload.")
  private int rounds;

  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: .run/bench.")
  private @Nullable Path out;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description =
          "Also puts the tables into this document, between the lines of its chapter,"
              + " <!-- results: CHAPTER --> and <!-- end of results: CHAPTER -->.")
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

  /** {@return what the report is called} */
  abstract String heading();

  /** {@return name of the chapter, of its files, and of its place in the document} */
  abstract String chapter();

  /** {@return file name of the chart beside the document} */
  abstract String chart();

  /** {@return how many Redis servers it needs, which know nothing of each other} */
  int servers() {
    return 1;
  }

  /** Adds servers and libraries, with their versions; asked after the run. */
  void software(Bench bench, Map<String, String> facts) {
    Machine.redis(bench, peers(), facts);
  }

  /** {@return where the counts of the tables come from} */
  String counting() {
    return "executed: commandstats of the server over all turns, those inside scripts included;"
        + " sent: of these, the share that MONITOR saw coming from clients, watched after the timed"
        + " part of the first round; CPU: of the process (client) and of INFO cpu (server)";
  }

  /** {@return whether a short run is wanted} */
  final boolean quick() {
    return quick;
  }

  /** {@return how long and how often it measures} */
  Pace pace() {
    return quick ? Pace.quick() : Pace.full();
  }

  /** {@return flags of every worker, after those that all chapters have} */
  List<String> flags() {
    return jvmFlags;
  }

  /** {@return the sections of the report: those that were measured, and what follows from them} */
  List<Section> more(List<Section> measured, Consumer<String> progress) {
    return measured;
  }

  /** {@return a chart in place of the usual one; asked after {@link #more}} */
  @Nullable String drawing() {
    return null;
  }

  abstract List<Workload> workloads();

  /** {@return everybody who takes part in the chapter} */
  abstract List<? extends Peer> peers();

  /** {@return who takes part in this run} */
  abstract Set<? extends Peer> systems();

  @Override
  public Integer call() throws Exception {
    List<String> ids;
    Pace pace = pace();
    try {
      ids = Chapter.ids(workloads(), only);
      pace = rounds == 0 ? pace : pace.withRounds(rounds);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    if (list) {
      ids.forEach(System.out::println);
      return 0;
    }
    try (Bench bench = Bench.start(flags(), servers())) {
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
      sections =
          more(
              new Chapter(bench, pace, workloads(), only, systems(), progress::tell).run(),
              progress::tell);
    } finally {
      progress.end();
    }
    software(bench, facts);
    for (Peer kind : peers()) {
      facts.put("`" + kind.id() + "`", kind.description());
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
    facts.put("Commands", counting());
    Report report = new Report(new Facts(heading(), facts), sections, drawing());
    Path folder = out == null ? home().resolve(".run/bench") : out;
    report.write(folder, chapter());
    if (into != null) {
      report.publish(into, chapter(), chart());
    }
    System.out.println(report.markdown());
    System.out.println("written: " + folder.resolve(chapter()) + ".md, .json, .svg");
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
        Path.of(ChapterCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    for (Path folder = classes; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("benchmarks/pom.xml"))) {
        return folder;
      }
    }
    return Path.of("").toAbsolutePath();
  }
}
