package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.locks.StockWorkloads;
import dev.sluice.bench.systems.StockKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench inventory}: claims of limited stock. */
@Command(
    name = "inventory",
    description = {
      "Claims of limited stock: Sluice and a bare script, in turns on one Redis.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class InventoryCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<StockKind> systems = EnumSet.allOf(StockKind.class);

  @Override
  String heading() {
    return "Limited stock on one Redis";
  }

  @Override
  String chapter() {
    return StockKind.CHAPTER;
  }

  @Override
  String chart() {
    return "inventory-benchmark.svg";
  }

  @Override
  List<Workload> workloads() {
    return StockWorkloads.all();
  }

  @Override
  List<StockKind> peers() {
    return List.of(StockKind.values());
  }

  @Override
  Set<StockKind> systems() {
    return systems;
  }
}
