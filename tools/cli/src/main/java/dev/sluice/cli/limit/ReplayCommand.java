package dev.sluice.cli.limit;

import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Signals;
import dev.sluice.cli.terminal.StatusLine;
import dev.sluice.cli.terminal.Text;
import dev.sluice.replay.LogFormat;
import dev.sluice.replay.Replay;
import dev.sluice.replay.ReplayChart;
import dev.sluice.replay.ReplayPolicy;
import dev.sluice.replay.ReplayReport;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "replay",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = {
      "Say what policies would have done to the requests of an access log.",
      "",
      "Every line is decided at the time that it bears, under each policy as if that were alone. No"
          + " store is needed.",
      "",
      LimitArguments.POLICY_FORM
    },
    exitCodeList = {
      "64:the command line does not make sense, or the log has another form",
      "65:no line could be read",
      "66:the log cannot be opened or read",
      "73:the picture cannot be written",
      "130:SIGINT came, 143: SIGTERM; the report is of what was read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice limit replay access.log --policy 'token-bucket 10/s burst 20' \\",
      "      --policy 'sliding-window 600/1m + fixed-window 20000/1d' --svg out.svg",
      "  zcat access.log.*.gz | sluice limit replay - --key user --policy 'gcra 5/s'"
    })
final class ReplayCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(index = "0", paramLabel = "FILE", description = "The log; '-' is the input.")
  private String file;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      required = true,
      description = "A policy to try. Given several times: they are compared.")
  private List<String> policies = List.of();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      defaultValue = "ip",
      description =
          "Whose permits: ip, user or path (without a query); for csv the name of a column; all:"
              + " everybody's together. Default: ${DEFAULT-VALUE}.")
  private String key;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "common (Common or Combined Log Format) or csv (with a header line). Default: csv if FILE"
              + " ends with .csv, else common.")
  private @Nullable String format;

  @Option(
      names = "--time",
      paramLabel = "COLUMN",
      defaultValue = "",
      description =
          "For csv: the column of the time; ISO-8601, or a number since 1970. Default: time,"
              + " timestamp, ts, date, datetime or @timestamp.")
  private String time;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description =
          "How long callers would wait for their turn. Default: not at all; in a leaky-queue"
              + " until their turn, up to an hour.")
  private @Nullable String wait;

  @Option(names = "--svg", paramLabel = "OUT", description = "Draw a picture into this file.")
  private @Nullable Path svg;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  ReplayCommand() {}

  /** The input or the picture cannot be accessed. */
  private static final class FileFailure extends Exception {
    private static final long serialVersionUID = 1L;
    final int exitCode;

    FileFailure(String what, IOException cause, int exitCode) {
      super(what + ": " + reason(cause), cause);
      this.exitCode = exitCode;
    }

    private static String reason(IOException cause) {
      return cause instanceof NoSuchFileException
          ? "no such file or directory"
          : cause instanceof AccessDeniedException
              ? "permission denied"
              : String.valueOf(cause.getMessage());
    }
  }

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(file, key, time));
    Replay replay = prepared();
    try {
      try (Signals signals = Signals.interrupting(Thread.currentThread())) {
        checkPicture();
        read(replay);
        return print(replay.report(), signals.exitCode());
      }
    } catch (FileFailure e) {
      Text.report(spec.commandLine().getErr(), e.getMessage());
      return e.exitCode;
    }
  }

  private Replay prepared() {
    Optional<Duration> longest =
        Optional.ofNullable(wait)
            .map(value -> DurationText.option(spec.commandLine(), "--wait", value));
    long memory = Math.min(Replay.DEFAULT_MEMORY, Runtime.getRuntime().maxMemory() / 2);
    return new Replay(readPolicies(), readFormat(), longest, memory);
  }

  private List<ReplayPolicy> readPolicies() {
    try {
      return policies.stream().map(ReplayPolicy::parse).toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--policy: " + e.getMessage(), e);
    }
  }

  private LogFormat readFormat() {
    return switch (formatName()) {
      case "csv" -> LogFormat.csv(key, time);
      case "common" -> LogFormat.common(key);
      default ->
          throw new ParameterException(
              spec.commandLine(), "--format must be common or csv: " + format);
    };
  }

  private String formatName() {
    String byName = file.toLowerCase(Locale.ROOT).endsWith(".csv") ? "csv" : "common";
    return format == null ? byName : format;
  }

  /** Runs before the log is read, because reading may take minutes. */
  private void checkPicture() throws FileFailure {
    if (svg != null) {
      write(svg, "");
    }
  }

  private static void write(Path picture, String text) throws FileFailure {
    try {
      Files.writeString(picture, text);
    } catch (IOException e) {
      throw new FileFailure("cannot write " + picture, e, Exit.CANNOT_CREATE);
    }
  }

  private void read(Replay replay) throws FileFailure {
    try (FileChannel in = open()) {
      long size = file.equals("-") ? 0 : in.size();
      long start = System.nanoTime();
      try (StatusLine line =
          StatusLine.start(
              spec.commandLine().getErr(),
              () -> ReplayView.progress(replay, size, System.nanoTime() - start))) {
        replay.read(in);
      }
    } catch (ClosedByInterruptException e) {
      Thread.interrupted(); // a signal; the report is of what was read
    } catch (IOException e) {
      throw new FileFailure("cannot read " + file, e, Exit.NO_INPUT);
    }
  }

  /** An interrupt ends reading, also while it waits for input. */
  private FileChannel open() throws IOException {
    return file.equals("-")
        ? new FileInputStream(FileDescriptor.in).getChannel()
        : FileChannel.open(Path.of(file));
  }

  private int print(ReplayReport report, int signal) throws FileFailure {
    PrintWriter err = spec.commandLine().getErr();
    if (signal != 0) {
      Text.report(err, "stopped after " + report.lines() + " lines; the rest was not read");
    }
    if (report.requests() == 0 && report.malformed() > 0) {
      ReplayReport.BadLine first = report.examples().get(0);
      Text.report(
          err,
          "no line could be read as "
              + formatName()
              + "; line "
              + first.number()
              + ", "
              + first.problem()
              + ": "
              + first.text());
      return Exit.FOREIGN_DATA;
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(ReplayView.json(report));
    } else {
      out.print(ReplayView.lines(report, key));
    }
    if (svg != null) {
      write(svg, new ReplayChart(report, DurationText.brief(report.binWidth())).toSvg());
    }
    return signal;
  }
}
