package dev.sluice.bench;

import dev.sluice.bench.chapter.Chapter;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Peer;
import dev.sluice.servers.RedisBinary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** One chapter: its options, its run and its report. */
abstract class ChapterCommand extends ReportCommand {
  private static final double MOST_MINUTES = 600;

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

  /** {@return flags of every worker, after those that all chapters have} */
  List<String> flags() {
    return jvmFlags;
  }

  /** {@return the sections of the report: those that were measured, and what follows from them} */
  List<Section> more(List<Section> measured, Consumer<String> progress) {
    return measured;
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
      if (!(minutes >= 0 && minutes <= MOST_MINUTES)) {
        throw new IllegalArgumentException("--minutes must be 0 to 600: " + minutes);
      }
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

  private String rounds(Pace pace) {
    return minutes > 0 && pace.rounds() > Chapter.LEAST_ROUNDS
        ? Chapter.LEAST_ROUNDS + " to " + pace.rounds() + ", as time allowed,"
        : "" + pace.rounds();
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
  Pace pace() {
    if (minutes > 0) {
      return quick() ? Pace.sharedQuick() : Pace.shared();
    }
    return quick() ? Pace.quick() : Pace.full();
  }

  @Override
  boolean isWhole() {
    return only.isEmpty()
        && rounds == 0
        && minutes == 0
        && systems().size() == present().size()
        && jvmFlags.isEmpty();
  }

  /** {@return who could take part on this machine} */
  Collection<? extends Peer> present() {
    return peers();
  }

  @Override
  Optional<String> missing() {
    return servers() == 0 || !RedisBinary.all().isEmpty()
        ? Optional.empty()
        : Optional.of("no redis-server on the PATH, and the bundled one does not run here");
  }

  private int run(Bench bench, Pace pace) throws Exception {
    Map<String, String> facts = Machine.facts(bench, commandLine());
    List<Section> sections;
    try {
      Chapter chapter = new Chapter(bench, pace, workloads(), only, systems(), progress()::tell);
      if (minutes > 0) {
        chapter.within(Duration.ofMillis(Math.round(minutes * 60_000)));
      }
      sections = more(chapter.run(), progress()::tell);
    } finally {
      progress().end();
    }
    software(bench, facts);
    for (Peer kind : peers()) {
      facts.put("`" + kind.id() + "`", kind.description());
    }
    facts.put(
        "Rounds",
        rounds(pace)
            + " of "
            + pace.window().toMillis()
            + " ms each after "
            + pace.leadIn().toMillis()
            + " ms of lead-in, the systems in turns and in changing order; medians, with least and"
            + " most; ratios are medians of the ratios within a round");
    facts.put("Commands", counting());
    report(facts, sections);
    return 0;
  }
}
