package dev.sluice.cli.limit;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Signals;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "try",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = "Take permits, if they pass.",
    exitCodeList = {
      "0:allowed",
      "64:the command line does not make sense",
      "65:the store holds something else under this name",
      "69:the store cannot be reached, or does not answer",
      "75:refused",
      "130:SIGINT came while waiting; 143: SIGTERM"
    })
final class LimitTryCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private LimitArguments limit;

  @Option(
      names = "--cost",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many permits; 0 looks. Default: ${DEFAULT-VALUE}.")
  private long cost;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description =
          "Take a place that comes within this time, and wait for it. Default: do not wait.")
  private @Nullable String wait;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  LimitTryCommand() {}

  @Override
  public Integer call() {
    RateLimiterOptions options = limit.options();
    Duration longest =
        wait == null ? Duration.ZERO : DurationText.option(spec.commandLine(), "--wait", wait);
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      RateLimiter limiter = limit.limiter(sluice, options);
      if (longest.isZero()) {
        return limit.print(sluice, limiter.tryAcquire(limit.key(), cost), json);
      }
      try (Signals signals = Signals.interrupting(Thread.currentThread())) {
        return acquire(sluice, limiter, longest, signals);
      }
    }
  }

  private int acquire(Sluice sluice, RateLimiter limiter, Duration longest, Signals signals) {
    try {
      return limit.print(sluice, limiter.tryAcquire(limit.key(), cost, longest), json);
    } catch (InterruptedException e) {
      return signals.exitCode();
    }
  }
}
