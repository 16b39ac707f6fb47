package dev.sluice.bench;

import dev.sluice.bench.caches.CacheWorkloads;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.systems.CacheKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench cache}: the chapter about caches. */
@Command(
    name = "cache",
    description = {
      "Caches: Sluice, Redisson, JetCache and the least that Caffeine and Lettuce can do, in turns.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class CacheCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<CacheKind> systems = EnumSet.allOf(CacheKind.class);

  @Override
  String heading() {
    return "Caches, side by side";
  }

  @Override
  String chapter() {
    return CacheKind.CHAPTER;
  }

  @Override
  String chart() {
    return "cache-benchmark.svg";
  }

  @Override
  List<Workload> workloads() {
    return CacheWorkloads.all();
  }

  @Override
  List<CacheKind> peers() {
    return List.of(CacheKind.values());
  }

  @Override
  Set<CacheKind> systems() {
    return systems;
  }
}
