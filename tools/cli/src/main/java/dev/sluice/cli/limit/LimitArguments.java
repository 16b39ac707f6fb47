package dev.sluice.cli.limit;

import dev.sluice.Sluice;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.Text;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.replay.ReplayPolicy;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Arguments that name a limiter and one of its keys. */
final class LimitArguments {
  static final String POLICY_FORM =
      "A policy is ALGORITHM COUNT/PERIOD [burst N] [slots N] [places N] [name NAME] [shared]"
          + " [per-call], for instance 'token-bucket 10/s burst 20'. Algorithms: token-bucket,"
          + " leaky-bucket, gcra, sliding-window, sliding-log, fixed-window, expiring-window,"
          + " leaky-queue. Several are joined as tiers by ' + '; a request passes all of them or none.";

  private static final Duration DEADLINE = Duration.ofSeconds(5);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "NAME", description = "The limiter: 1 to 512 bytes.")
  private String name;

  @Parameters(index = "1", paramLabel = "KEY", description = "Whose permits: 1 to 512 bytes.")
  private String key;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      required = true,
      description =
          "The limit, as the services that share it have it, like 'token-bucket 10/s burst 20'."
              + " Given several times: tiers. See 'sluice limit --help'.")
  private List<String> policies = List.of();

  @SuppressWarnings("NullAway.Init")
  LimitArguments() {}

  String name() {
    return name;
  }

  String key() {
    return key;
  }

  RateLimiterOptions options() {
    Arguments.checkDecoded(spec.commandLine(), List.of(name, key));
    List<Limit> tiers = new ArrayList<>();
    try {
      for (String policy : policies) {
        tiers.addAll(ReplayPolicy.parse(policy).tiers());
      }
      return RateLimiterOptions.of(tiers).deadline(DEADLINE);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--policy: " + e.getMessage(), e);
    }
  }

  RateLimiter limiter(Sluice sluice, RateLimiterOptions options) {
    return sluice.rateLimiter(name, options);
  }

  /** Prints a decision and returns the exit code. */
  int print(Sluice sluice, Decision decision, boolean json) {
    if (decision.source() == Decision.Source.FALLBACK) {
      Text.report(
          spec.commandLine().getErr(),
          sluice.describe()
              + " refused the call, or did not answer within "
              + DurationText.brief(DEADLINE)
              + ": 'sluice doctor' looks for the reason");
      return Exit.UNREACHABLE;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? LimitView.json(name, key, decision) : LimitView.line(decision));
    return decision.allowed() ? Exit.OK : Exit.NOT_ACQUIRED;
  }
}
