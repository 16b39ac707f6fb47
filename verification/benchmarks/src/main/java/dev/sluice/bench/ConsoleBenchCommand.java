package dev.sluice.bench;

import dev.sluice.bench.watch.WatchBench;
import java.time.Duration;
import picocli.CommandLine.Command;

/** {@code ./sluice bench console}: what it costs to be looked at. */
@Command(
    name = "console",
    description = {
      "CPU time of a process that reports to consoles, and of the console, without watchers and"
          + " while pages are open; about seven minutes.",
      "Prints a table and writes it as Markdown and JSON."
    },
    mixinStandardHelpOptions = true)
final class ConsoleBenchCommand extends ReportCommand {
  ConsoleBenchCommand() {
    super("console", "The console", "console-benchmark.svg");
  }

  @Override
  boolean isWhole() {
    return true;
  }

  @Override
  public Integer call() throws Exception {
    return report(
        WatchBench.jvmFlags(),
        new WatchBench(
                quick() ? 1 : 2,
                Duration.ofSeconds(quick() ? 5 : 15),
                Duration.ofSeconds(quick() ? 10 : 30),
                progress()::report)
            ::run);
  }
}
