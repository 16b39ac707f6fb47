package dev.sluice.cli.doctor;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.StatusLine;
import dev.sluice.cli.terminal.Terminal;
import dev.sluice.cli.terminal.Text;
import dev.sluice.console.fleet.FleetDoctor;
import dev.sluice.text.Secrets;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "doctor",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    description = {
      "Look for what keeps a store from giving what Sluice promises.",
      "",
      "Reads settings, measures clocks and round trips, tries rights, looks at some keys, and changes"
          + " nothing. Each finding has a severity, a name, what can go wrong, and the line that mends"
          + " it. Several Redis URLs are taken for the members of one quorum, and compared.",
      "",
      "Exit code: 0 nothing or infos, 1 warnings, 2 errors, 69 a store cannot be reached."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice doctor",
      "  sluice doctor redis://a redis://b redis://c",
      "  sluice doctor --json | jq '.findings[].id'"
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final Set<String> NOT_IN_USE =
      Set.of("unreachable", "tables", "rights", "no-file-yet", "no-tables-yet");

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(
      arity = "0..*",
      paramLabel = "URL",
      description = "The stores; unless given, the one of --url, SLUICE_URL or the default.")
  private List<String> urls = List.of();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "2s",
      description = "Longest wait for one answer. Default: ${DEFAULT-VALUE}.")
  private String timeout;

  @Option(
      names = "--json",
      description = {
        "Print one JSON object: stores, worst (none, info, warning, error), findings (severity, id,"
            + " where, what, risk, fix)."
      })
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  DoctorCommand() {}

  @Override
  public Integer call() {
    Duration longest = DurationText.option(spec.commandLine(), "--timeout", timeout);
    List<String> targets = urls.isEmpty() ? List.of(StoreOption.of(spec).target()) : urls;
    Arguments.checkDecoded(spec.commandLine(), targets);
    targets.forEach(StoreOption::prepare);
    List<String> stores = targets.stream().map(Secrets::mask).toList();
    PrintWriter out = spec.commandLine().getOut();
    List<Finding> findings;
    long start = System.nanoTime();
    try (StatusLine line =
        StatusLine.start(
            spec.commandLine().getErr(),
            () ->
                "sluice: examining "
                    + Text.visible(String.join(", ", stores))
                    + ", "
                    + DurationText.brief(Duration.ofNanos(System.nanoTime() - start)))) {
      findings = withFleet(targets, Doctor.examine(targets, longest));
    }
    out.print(
        json
            ? DoctorView.json(stores, findings)
            : DoctorView.lines(stores, findings, Terminal.hasColours()));
    return exitCode(findings);
  }

  /** The findings about processes on the stores, as a client that connects but creates nothing. */
  private static List<Finding> withFleet(List<String> targets, List<Finding> findings) {
    if (findings.stream().anyMatch(finding -> NOT_IN_USE.contains(finding.id()))) {
      return findings;
    }
    List<Finding> all = new ArrayList<>(findings);
    for (String target : targets) {
      try (Sluice sluice = Sluice.connect(target)) {
        all.addAll(FleetDoctor.examine(sluice));
      } catch (SluiceException e) {
        // the examination has found more of it than this
      }
    }
    all.sort(Comparator.comparing(Finding::severity).reversed());
    return all;
  }

  private static int exitCode(List<Finding> findings) {
    if (findings.stream().anyMatch(finding -> finding.id().equals("unreachable"))) {
      return Exit.UNREACHABLE;
    }
    Severity worst = DoctorView.worst(findings);
    return worst == Severity.ERROR
        ? Exit.ERRORS
        : worst == Severity.WARNING ? Exit.WARNINGS : Exit.OK;
  }
}
