package dev.sluice.cli.terminal;

import picocli.CommandLine.Option;

/** What every command understands. */
public final class HelpOption {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean asked;
}
