package dev.sluice.cli.console;

import dev.sluice.Sluice;
import dev.sluice.cli.store.DefaultStore;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Signals;
import dev.sluice.cli.terminal.Text;
import dev.sluice.console.Console;
import dev.sluice.console.ConsoleServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "console",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    optionListHeading = "%n",
    description = {
      "Show a store, and the processes on it, in a browser.",
      "",
      "Locks, limits, filters, caches, what the doctor finds, and events, each second, until"
          + " Ctrl-C. Processes show their own figures where they have a FleetReporter, as with the"
          + " Spring Boot starter.",
      "",
      "Each user needs a token, on this machine too: that of --token-file, or one made for this"
          + " run, with which the printed address ends. It listens on this machine only, unless"
          + " --bind is given. Nothing can be changed without --allow-writes; every change"
          + " leaves a line on the output."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice console",
      "  sluice console --url redis://localhost --port 9000 --allow-writes",
      "  sluice console --bind 0.0.0.0 --token-file /run/secrets/sluice-console"
    })
public final class ConsoleCommand implements Callable<Integer> {
  private static final int MAX_TOKEN_FILE_LENGTH = 4096;

  /** Keeps a reference, because the JDK drops an unreferenced logger with its handlers. */
  private static final Logger AUDIT = Logger.getLogger("dev.sluice.console.audit");

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "7245",
      description = "Where to listen; 0 takes any port that is free. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "The address to listen at. What others can reach needs TLS in front of it. Default:"
              + " ${DEFAULT-VALUE}.")
  private String bind;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = {
        "The first line of this file is what people must know to look: at least 16 printable"
            + " characters. Others must not be able to read it. Make one with: (umask 077; openssl"
            + " rand -hex 24 >FILE)"
      })
  private @Nullable Path tokenFile;

  @Option(
      names = "--allow-writes",
      description = "Let people release locks by force and change limits.")
  private boolean writes;

  @SuppressWarnings("NullAway.Init")
  ConsoleCommand() {}

  @Override
  public Integer call() throws IOException {
    if (port < 0 || port > 65_535) {
      throw new ParameterException(spec.commandLine(), "--port must be 0 to 65535: " + port);
    }
    String token = tokenFile == null ? null : token(tokenFile);
    try (Sluice sluice = StoreOption.of(spec).connect();
        Signals signals = Signals.interrupting(Thread.currentThread())) {
      Console.Builder settings =
          Console.builder(sluice).url(StoreOption.of(spec).target()).writes(writes);
      if (token != null) {
        settings.token(token);
      }
      AUDIT.addHandler(new ToError(spec.commandLine().getErr()));
      try (ConsoleServer server = start(settings)) {
        say(sluice, server);
        new CountDownLatch(1).await();
        return Exit.OK;
      } catch (InterruptedException e) {
        return Exit.OK; // asked to end, which is how it ends
      }
    }
  }

  private ConsoleServer start(Console.Builder settings) throws IOException {
    try {
      return ConsoleServer.start(settings, new InetSocketAddress(bind, port));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--bind: " + e.getMessage(), e);
    } catch (BindException e) {
      throw new ParameterException(
          spec.commandLine(),
          "cannot listen at " + bind + ":" + port + ": " + e.getMessage() + "; see --port",
          e);
    }
  }

  /** The loggers of this program have no output, except the audit. */
  private static final class ToError extends Handler {
    private final PrintWriter err;

    ToError(PrintWriter err) {
      this.err = err;
      setFormatter(new SimpleFormatter());
    }

    @Override
    public void publish(LogRecord entry) {
      // one line already; what looks like a URL in a name is none to hide
      err.println("sluice: " + Instant.now() + " " + getFormatter().formatMessage(entry));
      err.flush();
    }

    @Override
    public void flush() {
      err.flush();
    }

    @Override
    public void close() {}
  }

  private void say(Sluice sluice, ConsoleServer server) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(server.uri());
    out.flush();
    Text.report(
        spec.commandLine().getErr(),
        "console of "
            + sluice.describe()
            + (writes ? ", writes allowed" : ", read only")
            + "; Ctrl-C ends it");
  }

  private String token(Path file) {
    if (Files.exists(file)) {
      try {
        DefaultStore.checkSecret(file);
      } catch (IOException e) {
        throw new ParameterException(spec.commandLine(), "--token-file: " + e.getMessage(), e);
      }
    }
    try {
      if (Files.size(file) > MAX_TOKEN_FILE_LENGTH) {
        throw new ParameterException(
            spec.commandLine(), "--token-file: " + file + " is too long for a token");
      }
      return Files.readAllLines(file).stream()
          .findFirst()
          .map(String::trim)
          .filter(line -> !line.isEmpty())
          .map(Console::checkToken)
          .orElseThrow(
              () ->
                  new ParameterException(
                      spec.commandLine(), "--token-file: " + file + " begins with an empty line"));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--token-file: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "--token-file: " + file + " cannot be read", e);
    }
  }
}
