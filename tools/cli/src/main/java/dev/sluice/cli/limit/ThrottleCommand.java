package dev.sluice.cli.limit;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Terminal;
import dev.sluice.limit.ThrottleReply;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "throttle",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = {
      "CL.THROTTLE of redis-cell, without the module.",
      "",
      "Prints its five values: limited (0 allowed, 1 refused), limit, remaining, seconds until retry"
          + " (-1 when allowed), seconds until reset."
    },
    exitCodeList = {
      "0:allowed",
      "64:the command line does not make sense",
      "65:the store holds something else under this key",
      "69:the store cannot be reached, or does not answer",
      "75:refused"
    })
public final class ThrottleCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(index = "0", paramLabel = "KEY", description = "Whose bucket: 1 to 512 bytes.")
  private String key;

  @Parameters(
      index = "1",
      paramLabel = "BURST",
      description = "The burst, less one; at least -1, which admits nothing.")
  private long burst;

  @Parameters(index = "2", paramLabel = "COUNT", description = "Units per period, at least 1.")
  private long count;

  @Parameters(index = "3", paramLabel = "PERIOD", description = "Seconds, at least 1.")
  private long period;

  @Parameters(
      index = "4",
      arity = "0..1",
      paramLabel = "QTY",
      defaultValue = "1",
      description =
          "Units wanted; 0 looks, a negative number gives back. Default: ${DEFAULT-VALUE}.")
  private long quantity;

  @Option(names = "--raw", description = "Print the numbers alone, also on a terminal.")
  private boolean raw;

  @Option(
      names = "--no-raw",
      description = "Print what redis-cli prints on a terminal, also elsewhere.")
  private boolean decorated;

  @SuppressWarnings("NullAway.Init")
  ThrottleCommand() {}

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(key));
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      ThrottleReply reply = sluice.throttle().clThrottle(key, burst, count, period, quantity);
      print(reply, raw || (!decorated && !Terminal.is(Terminal.OUTPUT)));
      return reply.limited() == 0 ? Exit.OK : Exit.NOT_ACQUIRED;
    }
  }

  private void print(ThrottleReply reply, boolean plain) {
    PrintWriter out = spec.commandLine().getOut();
    long[] values = {
      reply.limited(), reply.limit(), reply.remaining(), reply.retryAfter(), reply.resetAfter()
    };
    for (int i = 0; i < values.length; i++) {
      out.println(plain ? values[i] + "" : i + 1 + ") (integer) " + values[i]);
    }
  }
}
