package dev.sluice.cli;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.MissingDataException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.cli.bloom.BloomCommand;
import dev.sluice.cli.console.ConsoleCommand;
import dev.sluice.cli.doctor.DoctorCommand;
import dev.sluice.cli.limit.LimitCommand;
import dev.sluice.cli.limit.ThrottleCommand;
import dev.sluice.cli.lock.FencingDemoCommand;
import dev.sluice.cli.lock.ListCommand;
import dev.sluice.cli.lock.LockCommand;
import dev.sluice.cli.lock.ShowCommand;
import dev.sluice.cli.lock.UnlockCommand;
import dev.sluice.cli.stock.StockCommand;
import dev.sluice.cli.store.DdlCommand;
import dev.sluice.cli.store.DefaultStore;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Text;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code sluice} command. */
@Command(
    name = "sluice",
    versionProvider = Main.Version.class,
    exitCodeOnInvalidInput = Exit.USAGE,
    subcommands = {
      LockCommand.class,
      ListCommand.class,
      ShowCommand.class,
      UnlockCommand.class,
      LimitCommand.class,
      BloomCommand.class,
      StockCommand.class,
      DdlCommand.class,
      ThrottleCommand.class,
      FencingDemoCommand.class,
      DoctorCommand.class,
      ConsoleCommand.class,
      CompletionCommand.class,
      HelpCommand.class
    },
    description =
        "Locks, limits, Bloom filters and stock that processes share, over a store you already run.",
    optionListHeading = "%n",
    commandListHeading = "%nCommands:%n",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice lock nightly -- ./report    one at a time, the others wait",
      "  sluice lock --try deploy -- make   now, or not at all",
      "  sluice ls                          who holds what",
      "  sluice show deploy                 one lock, and who waits for it",
      "  sluice limit replay access.log --policy 'token-bucket 10/s burst 20'",
      "",
      "'sluice help lock' has the rest: what the command gets, exit codes."
    })
public final class Main implements Runnable, StoreOption {
  /** The default prefix of filters; the default store has none. */
  static final String DEFAULT_FILTERS = "redis://localhost:6379";

  @Spec private CommandSpec spec;

  @Mixin private HelpOption help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean version;

  @Option(
      names = "--url",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = {
        "The store:", // short lines: a longer one would be broken within its URL
        "  jdbc:sqlite:FILE",
        "  jdbc:postgresql://HOST/DATABASE",
        "  redis://HOST:PORT, rediss://HOST",
        "  redis-sentinel://HOST:PORT,.../#MASTER",
        "  redis-cluster://HOST:PORT,...",
        "  redis-quorum://HOST,...",
        "  zookeeper://HOST:PORT,...",
        "  memory: (this process alone, for a look)",
        "Default: SLUICE_URL, else a SQLite file that all",
        "processes of this user on this machine share,",
        "~/.sluice/sluice.db; for 'bloom'",
        DEFAULT_FILTERS + ".",
        "A URL with a password belongs into SLUICE_URL:",
        "others can read a command line."
      })
  private @Nullable String url;

  @SuppressWarnings("NullAway.Init") // picocli fills in what is annotated
  Main() {}

  /**
   * Runs a command and exits with its code.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    if (System.getProperty("java.util.logging.config.file") == null
        && System.getProperty("java.util.logging.config.class") == null) {
      // What an operator should know is said by the commands; this leaves the loggers without
      // output.
      System.setProperty("java.util.logging.config.class", Object.class.getName());
    }
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int code = run(args, out, err);
    out.flush();
    err.flush();
    System.exit(code);
  }

  static int run(String[] args, PrintWriter out, PrintWriter err) {
    int code = commandLine().setOut(out).setErr(err).execute(args);
    out.flush();
    return code;
  }

  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    // what looks like an option may be a number below 0
    requireNonNull(line.getSubcommands().get("throttle"))
        .setUnmatchedOptionsArePositionalParams(true);
    return line.setExpandAtFiles(
            false) // an argument of the command that starts with @ is the command's
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler((e, args) -> misused(e))
        .setExecutionExceptionHandler((e, command, parsed) -> failed(e, command.getErr()));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing. See 'sluice --help'");
  }

  @Override
  public String target() {
    return target(DefaultStore.url());
  }

  private String target(String otherwise) {
    if (url != null) {
      return url;
    }
    String fromEnvironment = System.getenv("SLUICE_URL");
    return fromEnvironment == null || fromEnvironment.isBlank() ? otherwise : fromEnvironment;
  }

  @Override
  public Sluice connect() {
    return connect(target());
  }

  @Override
  public Sluice connectToFilters() {
    return connect(target(DEFAULT_FILTERS));
  }

  private Sluice connect(String store) {
    StoreOption.prepare(store);
    try {
      return Sluice.connect(store);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--url or SLUICE_URL: " + e.getMessage(), e);
    }
  }

  private static int misused(ParameterException e) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    Text.report(err, e.getMessage());
    if (e instanceof UnmatchedArgumentException unmatched) {
      meant(unmatched).ifPresent(word -> err.println("Did you mean '" + word + "'?"));
    }
    if (e instanceof UnmatchedArgumentException && command.getCommand() instanceof LockCommand) {
      err.println("Everything of the command to run stands after '--'.");
    }
    err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    return Exit.USAGE;
  }

  /** Finds the command, or else the option, with the most similar spelling. */
  private static Optional<String> meant(UnmatchedArgumentException e) {
    String typed = e.getUnmatched().get(0);
    return typed.startsWith("-")
        ? e.getSuggestions().stream().findFirst()
        : e.getCommandLine().getSubcommands().keySet().stream()
            .filter(word -> distance(typed, word) <= 2)
            .min(Comparator.comparingInt(word -> distance(typed, word)));
  }

  /** Edit distance with swaps: optimal string alignment. */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int changed = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(d[i - 1][j - 1] + changed, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }

  static int failed(Exception failure, PrintWriter err) {
    if (failure instanceof IllegalArgumentException
        || failure instanceof UnsupportedOperationException) {
      Text.report(err, failure.getMessage());
      return Exit.USAGE;
    }
    if (!(failure instanceof SluiceException)) {
      err.println("sluice: this should not happen, please report it: " + failure);
      failure.printStackTrace(err);
      return Exit.DEFECT;
    }
    String message = String.valueOf(failure.getMessage());
    if (message.contains("CREATE TABLE")) { // statements for a library's log; a terminal has ddl
      Text.report(
          err, "the database lacks the tables of Sluice: run there what 'sluice ddl' prints");
      return Exit.UNREACHABLE;
    }
    Text.report(err, message);
    if (failure instanceof BackendException) {
      if (nobodyListens(failure)) {
        err.println(
            "Start a server there, or name another one with --url or SLUICE_URL;"
                + " without either, locks and limits need none.");
      }
      return Exit.UNREACHABLE;
    }
    return failure instanceof ForeignDataException || failure instanceof MissingDataException
        ? Exit.FOREIGN_DATA
        : Exit.DEFECT;
  }

  private static boolean nobodyListens(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  /** Reads the version from the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"sluice " + (version == null ? "(not packaged)" : version)};
    }
  }
}
