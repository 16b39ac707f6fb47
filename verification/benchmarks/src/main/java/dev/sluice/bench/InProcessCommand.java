package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.inprocess.InProcessWorkloads;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.InProcessKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench jmh}: what never leaves the JVM. */
@Command(
    name = InProcessKind.CHAPTER,
    aliases = "jmh",
    description = {
      "Calls that ask no server, by JMH, each beside the least that it can cost; every round of each"
          + " in a JVM of its own.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class InProcessCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<InProcessKind> systems = EnumSet.allOf(InProcessKind.class);

  @Override
  String heading() {
    return "Inside one JVM";
  }

  @Override
  String chapter() {
    return InProcessKind.CHAPTER;
  }

  @Override
  String chart() {
    return "in-process.svg";
  }

  @Override
  int servers() {
    return 0;
  }

  @Override
  List<Workload> workloads() {
    return InProcessWorkloads.all();
  }

  @Override
  List<InProcessKind> peers() {
    return List.of(InProcessKind.values());
  }

  @Override
  Set<InProcessKind> systems() {
    return systems;
  }

  @Override
  void software(Bench bench, Map<String, String> facts) {
    Machine.inProcess(facts);
  }

  @Override
  String counting() {
    return "none; allocated bytes are by JMH's profiler of the garbage collector";
  }
}
