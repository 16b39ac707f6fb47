package dev.sluice.verification.crash;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;

/** {@code ./sluice demo crash-test}. */
public final class CrashMain {
  private static final String HELP =
      """
      Usage: sluice demo crash-test [options]

      Starts a Redis, a PostgreSQL and selling processes of its own, lets a crowd of buyers in, kills one
      of them after the other with signal 9, and proves from the ledger and from what the buyers were
      told that nothing was oversold, forgotten, sold twice or returned twice. Needs PostgreSQL.

        --kills N         how many; 100
        --seed S          repeats the order of things; a random one, which is printed
      """;

  private CrashMain() {}

  /**
   * Runs. The exit code is 0 if all held, 1 if something did not, 64 if the options are wrong.
   *
   * @param args see the help
   * @throws IOException if something could not be started
   * @throws InterruptedException if the thread is interrupted
   * @throws SQLException if the database cannot be read at the end
   */
  public static void main(String[] args) throws IOException, InterruptedException, SQLException {
    Settings settings;
    try {
      int kills = 100;
      long seed = ThreadLocalRandom.current().nextLong(1_000_000);
      for (int i = 0; i < args.length; i++) {
        if (args[i].equals("--help")) {
          System.out.print(HELP);
          return;
        }
        if (!args[i].equals("--kills") && !args[i].equals("--seed")) {
          throw new IllegalArgumentException("unknown option " + args[i]);
        }
        if (i + 1 == args.length) {
          throw new IllegalArgumentException(args[i] + " needs a value");
        }
        if (args[i].equals("--kills")) {
          kills = (int) number(args[i], args[++i]);
        } else {
          seed = number(args[i], args[++i]);
        }
      }
      settings = Settings.of(kills, seed);
    } catch (IllegalArgumentException e) {
      System.err.println("sluice demo crash-test: " + e.getMessage() + " (try --help)");
      System.exit(64);
      return;
    }
    System.setProperty("logback.configurationFile", CrashTest.QUIET);
    PrintStream out = System.out;
    boolean terminal = System.console() != null;
    out.println("seed " + settings.seed());
    Verdict verdict =
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
    System.exit(verdict.isClean() ? 0 : 1);
  }

  private static long number(String name, String value) {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " must be a whole number: " + value, e);
    }
  }
}
