package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.locks.QuorumWorkloads;
import dev.sluice.bench.systems.QuorumKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench quorum}: locks on a majority of five servers. */
@Command(
    name = "quorum",
    description = {
      "Locks on a majority of five: Sluice, Redisson's MultiLock and the least that Lettuce can do.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class QuorumCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<QuorumKind> systems = EnumSet.allOf(QuorumKind.class);

  @Override
  String heading() {
    return "Locks on a majority of five Redis, side by side";
  }

  @Override
  String chapter() {
    return QuorumKind.CHAPTER;
  }

  @Override
  String chart() {
    return "quorum.svg";
  }

  @Override
  int servers() {
    return QuorumWorkloads.SERVERS;
  }

  @Override
  List<Workload> workloads() {
    return QuorumWorkloads.all();
  }

  @Override
  List<QuorumKind> peers() {
    return List.of(QuorumKind.values());
  }

  @Override
  Set<QuorumKind> systems() {
    return systems;
  }
}
