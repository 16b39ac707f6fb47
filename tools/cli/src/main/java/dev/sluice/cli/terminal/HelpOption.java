package dev.sluice.cli;

import picocli.CommandLine.Option;

/** What every command understands. */
final class HelpOption {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean asked;
}
