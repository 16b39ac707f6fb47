package dev.sluice.cli.bloom;

import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "add",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = "Add elements, and say how many there were and how many certainly were new.",
    exitCodeList = {
      "0:added",
      "64:the command line does not make sense",
      "65:the store holds something else under this name; a line is not UTF-8",
      "66:there is no such filter, or a part of it is lost",
      "69:the store cannot be reached, or does not answer",
      "130:SIGINT came; 143: SIGTERM. What was said to be added is added"
    })
final class BloomAddCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private BloomElements elements;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  BloomAddCommand() {}

  @Override
  public Integer call() {
    AtomicLong all = new AtomicLong();
    AtomicLong fresh = new AtomicLong();
    int code = Exit.UNREACHABLE;
    try {
      code =
          elements.each(
              true,
              (filter, some) -> {
                fresh.addAndGet(filter.addAll(some));
                all.addAndGet(some.size());
              });
      return code;
    } finally {
      if (code == Exit.OK || all.get() > 0) {
        spec.commandLine()
            .getOut()
            .println(
                json
                    ? BloomView.json(elements.name(), all.get(), fresh.get())
                    : BloomView.line(all.get(), fresh.get()));
      }
    }
  }
}
