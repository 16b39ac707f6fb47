package dev.sluice.bench;

import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.locks.EngineWorkloads;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Engines;
import dev.sluice.bench.systems.Engine;
import dev.sluice.bench.systems.EngineKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench engines}: locks on ZooKeeper and on databases. */
@Command(
    name = "engines",
    description = {
      "Locks on ZooKeeper, PostgreSQL and SQLite: Sluice, Curator, Spring Integration, ShedLock and"
          + " the least that it can cost, each on a server of the bench's own.",
      "PostgreSQL and MariaDB take part where they are installed.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class EnginesCommand extends ChapterCommand {
  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "SYSTEM",
      description = "Only these: ${COMPLETION-CANDIDATES}, in any case.")
  private Set<EngineKind> systems = EnumSet.allOf(EngineKind.class);

  @Override
  String heading() {
    return "Locks on ZooKeeper and on databases, side by side";
  }

  @Override
  String chapter() {
    return EngineKind.CHAPTER;
  }

  @Override
  String chart() {
    return "engines.svg";
  }

  @Override
  int servers() {
    return 0;
  }

  @Override
  List<Workload> workloads() {
    return EngineWorkloads.all();
  }

  @Override
  List<EngineKind> peers() {
    return List.of(EngineKind.values());
  }

  @Override
  Set<EngineKind> systems() {
    Set<EngineKind> taking = EnumSet.copyOf(systems);
    taking.retainAll(present());
    return taking;
  }

  @Override
  Set<EngineKind> present() {
    Set<EngineKind> present = EnumSet.allOf(EngineKind.class);
    present.removeIf(kind -> !Engines.isInstalled(kind.engine()));
    return present;
  }

  @Override
  List<String> leftOut() {
    return Stream.of(Engine.values())
        .filter(engine -> !Engines.isInstalled(engine))
        .map(engine -> engine.title() + " (not installed)")
        .toList();
  }

  @Override
  void software(Bench bench, Map<String, String> facts) {
    Machine.engines(bench, facts);
  }

  @Override
  String counting() {
    return "executed, while measuring: packets that ZooKeeper received, statements in"
        + " pg_stat_statements (BEGIN and COMMIT are statements), QUESTIONS of MariaDB, commandstats"
        + " of Redis; CPU: of the process (client) and of the server with its children";
  }
}
