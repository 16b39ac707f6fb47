package dev.sluice.bench;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Candidate;
import dev.sluice.bench.systems.Candidates;
import dev.sluice.servers.RedisBinary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench CHAPTER}: its options, its run and its report. */
@Command(mixinStandardHelpOptions = true)
class ChapterCommand extends ReportCommand {
  private static final double MAX_MINUTES = 600;

  @Option(
      names = "--only",
      paramLabel = "WORKLOAD",
      description = "Only workloads whose name begins so; may be repeated.")
  private List<String> only = new ArrayList<>();

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds of each workload.")
  private int rounds;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description =
          "About so long: windows of half the length, fewer and shorter waits, and 3 to 5 rounds as"
              + " the time allows.")
  private double minutes;

  @Option(
      names = "--jvm",
      paramLabel = "FLAG",
      description = "Flag for every worker JVM, such as one that starts a profiler.")
  private List<String> jvmFlags = new ArrayList<>();

  @Option(names = "--list", description = "Names the workloads and ends.")
  private boolean list;

  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these of the systems in the tables of the chapter, in any case.")
  private List<String> systems = new ArrayList<>();

  private final ChapterSpec chapter;

  ChapterCommand(ChapterSpec chapter) {
    super(chapter.id(), chapter.heading(), chapter.chart());
    this.chapter = chapter;
  }

  /** {@return the command line of a chapter} */
  CommandLine commandLineOf() {
    CommandLine made = new CommandLine(this);
    made.getCommandSpec()
        .name(chapter.id())
        .usageMessage()
        .description(
            chapter.heading() + ".",
            "Prints tables and writes them as Markdown and JSON, with a chart. Systems:",
            candidates().stream().map(Candidate::id).collect(Collectors.joining(", ")));
    return made;
  }

  /** Adds servers and libraries, with their versions; asked after the run. */
  void software(Bench bench, Map<String, String> facts) {
    Machine.software(bench, chapter.id(), facts);
  }

  /** {@return where the counts of the tables come from} */
  String counting() {
    return switch (chapter.id()) {
      case "engines" ->
          "executed, while measuring: packets that ZooKeeper received, statements in"
              + " pg_stat_statements (BEGIN and COMMIT are statements), QUESTIONS of MariaDB,"
              + " commandstats of Redis; CPU: of the process (client) and of the server with its"
              + " children";
      case "in-process" -> "none; allocated bytes are by JMH's profiler of the garbage collector";
      default ->
          "executed: commandstats of the server over all turns, those inside scripts included;"
              + " sent: of these, the share that MONITOR saw coming from clients, watched after the"
              + " timed part of the first round; CPU: of the process (client) and of INFO cpu"
              + " (server)";
    };
  }

  /** {@return flags of every worker, after those that all chapters have} */
  List<String> flags() {
    return jvmFlags;
  }

  /** {@return the sections of the report: those that were measured, and what follows from them} */
  List<Section> more(List<Section> measured, Consumer<String> progress) {
    return measured;
  }

  List<Workload> workloads() {
    return chapter.workloads().get();
  }

  /** {@return all that take part, in the order of the tables} */
  List<Candidate> candidates() {
    return Candidates.of(chapter.id());
  }

  /** {@return who could take part on this machine} */
  private List<Candidate> present() {
    return candidates().stream().filter(each -> Bench.isInstalled(each.engine())).toList();
  }

  /** {@return who takes part in this run} */
  private List<Candidate> taking() {
    Set<Candidate> chosen =
        systems.stream()
            .map(each -> Candidates.find(candidates(), each))
            .collect(Collectors.toSet());
    return present().stream().filter(each -> systems.isEmpty() || chosen.contains(each)).toList();
  }

  @Override
  List<String> leftOut() {
    return candidates().stream()
        .map(Candidate::engine)
        .distinct()
        .filter(engine -> !Bench.isInstalled(engine))
        .map(engine -> engine.title() + " (not installed)")
        .toList();
  }

  @Override
  public Integer call() throws Exception {
    List<String> ids;
    RunPlan plan = plan();
    try {
      ids = Chapter.ids(workloads(), only);
      taking();
      plan = rounds == 0 ? plan : plan.withRounds(rounds);
      if (!(minutes >= 0 && minutes <= MAX_MINUTES)) {
        throw new IllegalArgumentException("--minutes must be 0 to 600: " + minutes);
      }
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    if (list) {
      ids.forEach(System.out::println);
      return 0;
    }
    try (Bench bench = Bench.start(flags(), chapter.servers())) {
      Thread hook = new Thread(bench::abort, "bench-abort");
      Runtime.getRuntime().addShutdownHook(hook);
      try {
        return run(bench, plan);
      } finally {
        unhook(hook);
      }
    }
  }

  private String rounds(RunPlan plan) {
    return minutes > 0 && plan.rounds() > Chapter.MIN_ROUNDS
        ? Chapter.MIN_ROUNDS + " to " + plan.rounds() + ", as time allowed,"
        : "" + plan.rounds();
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

  /** {@return how long and how often it measures} */
  RunPlan plan() {
    if (minutes > 0) {
      return quick() ? RunPlan.sharedQuick() : RunPlan.shared();
    }
    return quick() ? RunPlan.quick() : RunPlan.full();
  }

  @Override
  boolean isWhole() {
    return only.isEmpty()
        && rounds == 0
        && minutes == 0
        && taking().size() == present().size()
        && jvmFlags.isEmpty();
  }

  @Override
  Optional<String> missing() {
    return chapter.servers() == 0 || !RedisBinary.all().isEmpty()
        ? Optional.empty()
        : Optional.of("no redis-server on the PATH, and the bundled one does not run here");
  }

  private int run(Bench bench, RunPlan plan) throws Exception {
    Map<String, String> facts = Machine.facts(bench, commandLine());
    List<Section> sections;
    try {
      Chapter measuring = new Chapter(bench, plan, workloads(), only, taking(), progress()::report);
      if (minutes > 0) {
        measuring.within(Duration.ofMillis(Math.round(minutes * 60_000)));
      }
      sections = more(measuring.run(), progress()::report);
    } finally {
      progress().end();
    }
    software(bench, facts);
    for (Candidate each : candidates()) {
      facts.put("`" + each.id() + "`", each.description());
    }
    facts.put(
        "Rounds",
        rounds(plan)
            + " of "
            + plan.window().toMillis()
            + " ms each after "
            + plan.leadIn().toMillis()
            + " ms of lead-in, the systems in turns and in changing order; medians, with least and"
            + " most; ratios are medians of the ratios within a round");
    facts.put("Commands", counting());
    report(facts, sections);
    return 0;
  }
}
