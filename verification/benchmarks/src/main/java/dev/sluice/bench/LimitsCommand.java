package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.limits.LimitWorkloads;
import dev.sluice.bench.systems.LimitKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench limits}: the second chapter. */
@Command(
    name = "limits",
    description = {
      "Rate limits: Sluice, Redisson, Bucket4j and the least that Lettuce can do, in turns on one Redis.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class LimitsCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<LimitKind> systems = EnumSet.allOf(LimitKind.class);

  @Override
  String heading() {
    return "Rate limits, side by side on one Redis";
  }

  @Override
  String chapter() {
    return LimitKind.CHAPTER;
  }

  @Override
  String chart() {
    return "limits-benchmark.svg";
  }

  @Override
  List<Workload> workloads() {
    return LimitWorkloads.all();
  }

  @Override
  List<LimitKind> peers() {
    return List.of(LimitKind.values());
  }

  @Override
  Set<LimitKind> systems() {
    return systems;
  }
}
