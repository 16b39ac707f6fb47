package dev.sluice.bench;

import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.scale.Crowds;
import dev.sluice.bench.scale.Forecast;
import dev.sluice.bench.scale.ScaleChart;
import dev.sluice.bench.scale.ScaleWorkloads;
import dev.sluice.bench.scale.Sizes;
import dev.sluice.bench.scale.SluiceCrowd;
import dev.sluice.bench.systems.Candidate;
import io.lettuce.core.LettuceVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code ./sluice bench scale}: what grows when clients, keys, waiters and masters grow. */
@Command(
    name = "scale",
    description = {
      "Scale: what an operation costs as clients, keys, waiters and masters grow, on servers that"
          + " it starts; and a simulation, held against these points, of what no one machine can hold.",
      "Prints tables and writes them as Markdown and JSON, with a chart. --quick grows less far."
    },
    mixinStandardHelpOptions = true)
final class ScaleCommand extends ChapterCommand {
  private static final int ROUNDS = 3;
  private static final double QUICK_SHARE = 0.2;

  private @Nullable Sizes sizes;
  private @Nullable String drawing;

  ScaleCommand() {
    super(new ChapterSpec("scale", "How Sluice scales", "scaling.svg", 1, List::of));
  }

  private Sizes sizes() {
    Sizes chosen = sizes;
    if (chosen == null) {
      chosen = quick() ? Sizes.quick() : Sizes.full();
      sizes = chosen;
    }
    return chosen;
  }

  @Override
  RunPlan plan() {
    return quick() ? RunPlan.quick().withRounds(1) : RunPlan.full().withRounds(ROUNDS);
  }

  @Override
  String counting() {
    return "executed: commandstats of the server in the timed part, those inside scripts included;"
        + " sent: the scripts that clients called, by the same count; CPU: of the process (client)"
        + " and of INFO cpu (server)";
  }

  @Override
  List<String> flags() {
    List<String> flags = new ArrayList<>(List.of("-Xmx2g")); // thousands of clients in each
    flags.addAll(super.flags());
    return flags;
  }

  @Override
  void software(Bench bench, Map<String, String> facts) {
    facts.put("Redis", bench.server().about());
    facts.put("Lettuce", LettuceVersion.getVersion());
    facts.put(
        "Clients",
        "each has a client id, its own connection and its own inbox, as if it were a process; they"
            + " live in "
            + Crowds.PROCESSES
            + " JVMs (fewer where they are few), a network thread each, and beyond 1,000 of them those of a JVM share the"
            + " connection of the inboxes");
    if (!sizes().leftOut().isEmpty()) {
      facts.put("Left out on this machine", sizes().leftOut());
    }
  }

  @Override
  List<Section> more(List<Section> measured, Consumer<String> progress) {
    Forecast forecast =
        new Forecast(
            measured,
            sizes(),
            Crowds::processes,
            Runtime.getRuntime().availableProcessors(),
            Forecast.PROCESSES,
            quick() ? QUICK_SHARE : 1,
            progress);
    List<Section> all = new ArrayList<>(measured);
    all.addAll(forecast.sections());
    drawing = ScaleChart.draw(measured, sizes(), forecast);
    return all;
  }

  @Override
  @Nullable String drawing() {
    return drawing;
  }

  @Override
  List<Candidate> candidates() {
    return SluiceCrowd.CANDIDATES;
  }

  @Override
  List<Workload> workloads() {
    return ScaleWorkloads.all(sizes());
  }
}
