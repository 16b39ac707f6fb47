package dev.sluice.bench;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice bench all}: one chapter after the other. */
@Command(
    name = "all",
    description = {
      "Every chapter, one after the other: about 30 minutes on two cores, about 5 with --quick,"
          + " which takes a few workloads of each.",
      "What a chapter needs and this machine lacks is named, and the others go on.",
      "Ctrl-C stops the present chapter with its servers; what is written stays."
    },
    mixinStandardHelpOptions = true)
final class AllCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CHAPTER",
      arity = "0..*",
      description = "Only these, each with the time it has among all.")
  private List<String> chapters = new ArrayList<>();

  @Option(names = "--quick", description = "About five minutes.")
  private boolean quick;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long all chapters take together, 1 to 600; 30, or 5 with --quick.")
  private @Nullable Double minutes;

  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: .run/bench.")
  private @Nullable Path out;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description = "Also puts the tables into this document, docs/results/benchmarks.md.")
  private @Nullable Path into;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  private final List<String> ended = new CopyOnWriteArrayList<>();
  private final Progress progress = new Progress();
  private volatile boolean stopping;

  @Override
  public Integer call() throws Exception {
    List<Plan.Part> parts = Plan.of(quick, time(), chosen());
    Path folder = ReportCommand.folder(out);
    Thread hook = new Thread(() -> stop(folder), "bench-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    double sum = parts.stream().mapToDouble(Plan.Part::minutes).sum();
    boolean failed = false;
    for (int i = 0; i < parts.size() && !stopping; i++) {
      Plan.Part part = parts.get(i);
      String place =
          String.format(
              "of about %.0f min, chapter %d of %d, %s", sum, i + 1, parts.size(), part.chapter());
      failed |= !run(part, place, folder);
    }
    if (stopping) {
      Thread.sleep(Long.MAX_VALUE); // the hooks are at work, and end this JVM
    }
    Runtime.getRuntime().removeShutdownHook(hook);
    System.out.printf("%nall: %s%n", Progress.clock(progress.passed()));
    ended.forEach(line -> System.out.println("  " + line));
    System.out.println("written: " + folder);
    return failed ? 1 : 0;
  }

  /** {@return what became of each chapter, as it is printed} */
  List<String> ended() {
    return ended;
  }

  private void stop(Path folder) {
    stopping = true;
    progress.end();
    System.err.println("bench: stopped; in " + folder + " is what had ended:");
    ended().forEach(line -> System.err.println("  " + line));
  }

  private double time() {
    double time = minutes == null ? Plan.minutes(quick) : minutes;
    if (!(time >= 1 && time <= 600)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--minutes must be 1 to 600: " + minutes);
    }
    return time;
  }

  private List<String> chosen() {
    for (String chapter : chapters) {
      if (!Plan.chapters().contains(chapter)) {
        throw new CommandLine.ParameterException(
            spec.commandLine(),
            "no chapter '" + chapter + "'; there are " + String.join(", ", Plan.chapters()));
      }
    }
    return chapters.isEmpty() ? Plan.chapters() : chapters;
  }

  /** Runs a chapter; false if it failed. */
  private boolean run(Plan.Part part, String place, Path folder) throws IOException {
    ReportCommand.forget(folder, part.chapter());
    String[] words = words(part, folder).toArray(new String[0]);
    CommandLine bench = BenchMain.commandLine();
    bench.parseArgs(words); // so that it knows what it would need
    ReportCommand chapter = requireNonNull(bench.getSubcommands().get(part.chapter())).getCommand();
    Optional<String> missing = chapter.missing();
    if (missing.isPresent()) {
      print(part.chapter() + ": SKIPPED, " + missing.get());
      return true;
    }
    chapter.partOfAll(progress.part(place), quick ? "all, quick" : "all");
    Duration began = progress.passed();
    int code = bench.execute(words);
    String took = Progress.clock(progress.passed().minus(began));
    String planned = String.format(Locale.ROOT, "%s of %.1f min planned", took, part.minutes());
    String without =
        chapter.leftOut().isEmpty() ? "" : ", without " + String.join(", ", chapter.leftOut());
    print(part.chapter() + ": " + (code == 0 ? "done, " : "FAILED, ") + planned + without);
    return code == 0;
  }

  private void print(String line) {
    ended.add(line);
    progress.end();
    if (!stopping) {
      System.out.println(line);
    }
  }

  private List<String> words(Plan.Part part, Path folder) {
    List<String> words = new ArrayList<>(part.words());
    if (out != null) {
      words.addAll(List.of("--out", folder.toString()));
    }
    Path document = into;
    if (document != null) {
      words.addAll(List.of("--into", document.toString()));
    }
    return words;
  }
}
