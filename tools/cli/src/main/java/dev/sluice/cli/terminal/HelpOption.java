package dev.sluice.cli.terminal;

import picocli.CommandLine.Option;

/** The options of every command. */
public final class HelpOption {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean asked;
}
