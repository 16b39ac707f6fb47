package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.locks.LockWorkloads;
import dev.sluice.bench.systems.SystemKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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
final class LocksCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<SystemKind> systems = EnumSet.allOf(SystemKind.class);

  @Override
  String heading() {
    return "Locks, side by side on one Redis";
  }

  @Override
  String chapter() {
    return SystemKind.CHAPTER;
  }

  @Override
  String chart() {
    return "locks.svg";
  }

  @Override
  List<Workload> workloads() {
    return LockWorkloads.all();
  }

  @Override
  List<SystemKind> peers() {
    return List.of(SystemKind.values());
  }

  @Override
  Set<SystemKind> systems() {
    return systems;
  }
}
