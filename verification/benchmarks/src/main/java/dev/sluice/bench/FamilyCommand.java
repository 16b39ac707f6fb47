package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.locks.FamilyWorkloads;
import dev.sluice.bench.systems.FamilyKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench family}: semaphores, read-write locks, multi-locks and a cluster. */
@Command(
    name = "family",
    description = {
      "Semaphores, read-write locks and multi-locks: Sluice, Redisson and bare scripts, in turns on"
          + " one Redis; and locks on a cluster of three.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class FamilyCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<FamilyKind> systems = EnumSet.allOf(FamilyKind.class);

  @Override
  String heading() {
    return "The rest of the lock family, side by side on one Redis";
  }

  @Override
  String chapter() {
    return FamilyKind.CHAPTER;
  }

  @Override
  String chart() {
    return "family-benchmark.svg";
  }

  @Override
  List<Workload> workloads() {
    return FamilyWorkloads.all();
  }

  @Override
  List<FamilyKind> peers() {
    return List.of(FamilyKind.values());
  }

  @Override
  Set<FamilyKind> systems() {
    return systems;
  }
}
