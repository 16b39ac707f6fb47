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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
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
      "  sluice limit set api --key 'partner/7=token-bucket 500/1m'",
      "  sluice limit set api --plan 'pro=token-bucket 500/1m'"
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
      description = "A key whose override is removed.")
  private List<String> dropped = List.of();

  @Option(
      names = "--plan",
      paramLabel = "PLAN=POLICY",
      description =
          "The limit of each key of a plan instead. Given several times for one plan: tiers.")
  private List<String> plans = List.of();

  @Option(
      names = "--drop-plan",
      paramLabel = "PLAN",
      description = "A plan whose limits are removed.")
  private List<String> droppedPlans = List.of();

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
    Map<String, List<Limit>> ofKeys = others("--key", keys);
    Map<String, List<Limit>> ofPlans = others("--plan", plans);
    if (Stream.of(tiers, keys, dropped, plans, droppedPlans).allMatch(Collection::isEmpty)) {
      throw wrong("--policy, --key, --drop-key, --plan or --drop-plan must be given");
    }
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      PolicyBook book = sluice.policyBook();
      Optional<PolicyEntry> present = book.find(name);
      if (tiers.isEmpty() && present.isEmpty()) {
        throw wrong("--policy must be given: the book has no policy of this limiter yet");
      }
      Map<String, List<Limit>> overrides =
          changed(present.map(PolicyEntry::overrides).orElse(Map.of()), ofKeys, "key", dropped);
      Map<String, List<Limit>> planLimits =
          changed(present.map(PolicyEntry::plans).orElse(Map.of()), ofPlans, "plan", droppedPlans);
      RateLimiterOptions policy =
          RateLimiterOptions.of(tiers.isEmpty() ? present.orElseThrow().limits() : tiers)
              .overrides(overrides)
              .plans(planLimits)
              // refused after a concurrent change, so that none is overwritten
              .version(
                  version.orElse(present.map(entry -> entry.version() + 1).orElse(0)),
                  CarryOver.KEEP);
      PolicyEntry written = book.set(name, policy, author.name(), author.reason());
      spec.commandLine().getOut().println(PolicyView.line(written));
      return Exit.OK;
    }
  }

  private Map<String, List<Limit>> changed(
      Map<String, List<Limit>> present,
      Map<String, List<Limit>> set,
      String kind,
      List<String> dropped) {
    Map<String, List<Limit>> all = new LinkedHashMap<>(present);
    all.putAll(set);
    for (String each : dropped) {
      if (all.remove(each) == null) {
        throw wrong(
            "--drop-%s: no such %s in the present policy of '%s': '%s'"
                .formatted(kind, kind, name, each));
      }
    }
    return all;
  }

  private Map<String, List<Limit>> others(String option, List<String> texts) {
    Map<String, List<Limit>> others = new LinkedHashMap<>();
    for (String each : texts) {
      int sign = each.lastIndexOf('=');
      if (sign < 1) {
        String label = option.substring(2).toUpperCase(Locale.ROOT);
        throw wrong(option + " must be " + label + "=POLICY: '" + each + "'");
      }
      others
          .computeIfAbsent(each.substring(0, sign), name -> new ArrayList<>())
          .addAll(tiers(option, List.of(each.substring(sign + 1))));
    }
    return others;
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
