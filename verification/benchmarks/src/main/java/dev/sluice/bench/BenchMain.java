package dev.sluice.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./sluice bench}: measures Sluice side by side with its peers. */
@Command(
    name = "bench",
    description = "Measures Sluice side by side with its peers, on servers that it starts.",
    mixinStandardHelpOptions = true,
    subcommands = {
      AllCommand.class,
      GateCommand.class,
      AcceptCommand.class,
      ScaleCommand.class,
      FlashSaleCommand.class,
      ConsoleBenchCommand.class,
      SoakCommand.class,
      LicencesCommand.class
    })
public final class BenchMain implements Runnable {
  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  /** Runs one chapter. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine bench = new CommandLine(new BenchMain());
    for (ChapterSpec chapter : ChapterSpec.ALL) {
      String[] aliases = chapter.id().equals("in-process") ? new String[] {"jmh"} : new String[0];
      bench.addSubcommand(chapter.id(), new ChapterCommand(chapter).commandLineOf(), aliases);
    }
    bench.addSubcommand("limit-pictures", new PicturesCommand.Limits());
    bench.addSubcommand("cache-pictures", new PicturesCommand.Caches());
    return bench
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (failure, commandLine, parsed) -> {
              System.err.println("bench: " + failure.getMessage());
              return 1;
            });
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(),
        "say what: all, gate, accept, soak, licences, or a chapter: jmh, locks, quorum, limits,"
            + " bloom, cache, family, inventory, engines, scale, flash-sale, console,"
            + " limit-pictures, cache-pictures");
  }
}
