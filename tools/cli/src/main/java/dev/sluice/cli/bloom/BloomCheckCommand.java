package dev.sluice.cli.bloom;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Terminal;
import dev.sluice.cli.terminal.Text;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "check",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = {
      "Ask for elements.",
      "",
      "Prints a line for each: 'no' if it certainly was not added, else 'maybe'; a tab; the element."
          + " Of a filter that is not there, and of a part that is lost, nothing is known, and that"
          + " is 'maybe' too."
    },
    exitCodeList = {
      "0:answered",
      "64:the command line does not make sense",
      "65:a line is not UTF-8",
      "69:the store cannot be reached, or does not answer",
      "130:SIGINT came; 143: SIGTERM"
    })
final class BloomCheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private BloomElements elements;

  @Option(names = "--json", description = "Print one JSON object for each element.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  BloomCheckCommand() {}

  @Override
  public Integer call() {
    boolean terminal = Terminal.is(Terminal.OUTPUT);
    return elements.each(!terminal, (filter, some) -> print(filter, some, terminal));
  }

  private void print(BloomFilter<String> filter, List<String> some, boolean terminal) {
    List<Boolean> answers = filter.mightContainAll(some);
    PrintWriter out = spec.commandLine().getOut();
    for (int i = 0; i < some.size(); i++) {
      String answer = answers.get(i) ? "maybe" : "no";
      String element = some.get(i);
      out.println(
          json
              ? BloomView.json(element, answer)
              : answer + "\t" + (terminal ? Text.visible(element) : element));
    }
    out.flush(); // a program that writes line by line may wait for it
  }
}
