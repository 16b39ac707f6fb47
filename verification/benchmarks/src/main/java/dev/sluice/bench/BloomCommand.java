package dev.sluice.bench;

import dev.sluice.bench.bloom.BloomWorkloads;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.systems.BloomKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench bloom}: the third chapter. */
@Command(
    name = "bloom",
    description = {
      "Bloom filters: Sluice, Redisson and the least that Lettuce can do, in turns on one Redis.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class BloomCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<BloomKind> systems = EnumSet.allOf(BloomKind.class);

  @Override
  String heading() {
    return "Bloom filters, side by side on one Redis";
  }

  @Override
  String chapter() {
    return BloomKind.CHAPTER;
  }

  @Override
  String chart() {
    return "bloom-benchmark.svg";
  }

  @Override
  List<Workload> workloads() {
    return BloomWorkloads.all();
  }

  @Override
  List<BloomKind> peers() {
    return List.of(BloomKind.values());
  }

  @Override
  Set<BloomKind> systems() {
    return systems;
  }
}
