package dev.sluice.verification.crash;

import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./sluice demo crash-test}. */
@Command(
    name = "sluice demo crash-test",
    description = {
      "Starts a Redis, a PostgreSQL and selling processes, lets a crowd of buyers in,"
          + " kills one of them after the other with signal 9, and proves from the ledger and from"
          + " what the buyers were told that nothing was oversold, forgotten, sold twice or returned"
          + " twice. Needs PostgreSQL.",
      "Exit status 0: all held. 1: something did not. 64: bad options."
    },
    exitCodeOnInvalidInput = 64,
    mixinStandardHelpOptions = true)
public final class CrashMain implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--kills", paramLabel = "N", description = "How many (default: 100).")
  private int kills = 100;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Repeats the order of things (default: a random one, which is printed).")
  private long seed = ThreadLocalRandom.current().nextLong(1_000_000);

  private CrashMain() {}

  /**
   * Runs and exits.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    System.exit(new CommandLine(new CrashMain()).execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    CrashSettings settings;
    try {
      settings = CrashSettings.of(kills, seed);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
    System.setProperty("logback.configurationFile", CrashTest.QUIET);
    PrintStream out = System.out;
    boolean terminal = System.console() != null;
    out.println("seed " + settings.seed());
    CrashResult verdict =
        CrashTest.run(
            settings,
            line -> {
              if (terminal) {
                out.print("\r\033[K" + line);
                out.flush();
              } else if (line.contains("0 of ")) {
                out.println(line);
              }
            });
    out.print((terminal ? "\r\033[K" : "") + verdict.text());
    return verdict.isClean() ? 0 : 1;
  }
}
