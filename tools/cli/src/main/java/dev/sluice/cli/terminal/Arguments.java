package dev.sluice.cli.terminal;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Checks of command-line arguments. */
public final class Arguments {
  private static final char REPLACEMENT = '\uFFFD';

  private Arguments() {}

  /**
   * Refuses text that the JVM could not decode in the locale of this process. Passing it on would
   * lock another name than the one that was typed, or start another command.
   */
  public static void checkDecoded(CommandLine command, List<String> arguments) {
    for (String argument : arguments) {
      if (argument.indexOf(REPLACEMENT) >= 0) {
        throw new ParameterException(
            command,
            "cannot read '"
                + argument
                + "' in this locale: set LC_ALL to a UTF-8 one, e.g. C.UTF-8");
      }
    }
  }
}
