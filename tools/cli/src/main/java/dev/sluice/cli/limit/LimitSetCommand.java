package dev.sluice.cli.limit;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.PolicyEntry;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.replay.ReplayPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "set",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    footerHeading = "%nExamples:%n",
    description = {
      "Write a policy into the policy book of the store.",
      "",
      "Processes that follow the book apply it within a second if its version is higher than that of"
          + " their settings. What is not given stays as the present entry has it."
    },
    footer = {
      "  sluice limit set api --policy 'token-bucket 100/1m' --reason 'spring sale'",
      "  sluice limit set api --key 'partner/7=token-bucket 500/1m'"
    })
final class LimitSetCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private PolicyAuthor author;

  @Parameters(index = "0", paramLabel = "NAME", description = "The limiter: 1 to 512 bytes.")
  private String name;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description = "The limit of all keys. Given several times: tiers. See 'sluice limit --help'.")
  private List<String> policies = List.of();

  @Option(
      names = "--key",
      paramLabel = "KEY=POLICY",
      description = "The limit of one key instead. Given several times for one key: tiers.")
  private List<String> keys = List.of();

  @Option(
      names = "--drop-key",
      paramLabel = "KEY",
      description = "A key that has no limit of its own any more.")
  private List<String> dropped = List.of();

  @Option(
      names = "--version",
      paramLabel = "N",
      description =
          "The version, above that of the settings of the processes. Default: the next one of the"
              + " book.")
  private Optional<Integer> version = Optional.empty();

  @SuppressWarnings("NullAway.Init")
  LimitSetCommand() {}

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    List<Limit> tiers = tiers("--policy", policies);
    Map<String, List<Limit>> overrides = overrides();
    if (tiers.isEmpty() && overrides.isEmpty() && dropped.isEmpty()) {
      throw wrong("--policy, --key or --drop-key must be given");
    }
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      PolicyBook book = sluice.policyBook();
      Optional<PolicyEntry> present = book.find(name);
      if (tiers.isEmpty() && present.isEmpty()) {
        throw wrong("--policy must be given: the book has no policy of this limiter yet");
      }
      Map<String, List<Limit>> all =
          new LinkedHashMap<>(present.map(PolicyEntry::overrides).orElse(Map.of()));
      all.putAll(overrides);
      dropped.forEach(all::remove);
      RateLimiterOptions policy =
          RateLimiterOptions.of(tiers.isEmpty() ? present.orElseThrow().limits() : tiers)
              .overrides(all)
              // refused if somebody else has written since, so that nothing of theirs is dropped
              .version(
                  version.orElse(present.map(entry -> entry.version() + 1).orElse(0)),
                  CarryOver.KEEP);
      PolicyEntry written = book.set(name, policy, author.name(), author.reason());
      spec.commandLine().getOut().println(PolicyView.line(written));
      return Exit.OK;
    }
  }

  private Map<String, List<Limit>> overrides() {
    Map<String, List<Limit>> overrides = new LinkedHashMap<>();
    for (String each : keys) {
      int sign = each.lastIndexOf('=');
      if (sign < 1) {
        throw wrong("--key must be KEY=POLICY: '" + each + "'");
      }
      overrides
          .computeIfAbsent(each.substring(0, sign), key -> new ArrayList<>())
          .addAll(tiers("--key", List.of(each.substring(sign + 1))));
    }
    return overrides;
  }

  private List<Limit> tiers(String option, List<String> texts) {
    List<Limit> tiers = new ArrayList<>();
    try {
      for (String text : texts) {
        tiers.addAll(ReplayPolicy.parse(text).tiers());
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
    }
    return tiers;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
