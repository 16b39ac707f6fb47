package dev.sluice.cli.lock;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Child;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Signals;
import dev.sluice.cli.terminal.StatusLine;
import dev.sluice.cli.terminal.Text;
import dev.sluice.guard.FencingToken;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "lock",
    exitCodeOnInvalidInput = Exit.USAGE,
    customSynopsis = {
      "sluice lock NAME [--wait DURATION | --try] [--ttl DURATION] [--url URL]",
      "                   -- COMMAND [ARG...]"
    },
    descriptionHeading = "%n",
    description = {
      "Run a command while holding a lock.",
      "",
      "The command starts once the lock is ours: without a shell, on this terminal, and with these"
          + " in its environment:",
      "  SLUICE_LOCK    the name of the lock",
      "  SLUICE_TOKEN   the fencing token, higher than that of every earlier holder",
      "  SLUICE_OWNER   the id of this process at the store",
      "  SLUICE_FENCE   token and attempt, as the header Fencing-Token wants them",
      "Send the token along with each write: a resource that refuses a lower one than it has seen is"
          + " safe from a holder that was paused.",
      "",
      "The lease is renewed while the command runs. If it is lost all the same, the command and what"
          + " it started get SIGTERM, and SIGKILL five seconds later. SIGINT, SIGTERM and SIGHUP end"
          + " a wait immediately; afterwards they go to the command, and the lock is freed when it has"
          + " ended."
    },
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "N:that of the command; 128 + N if signal N ended it",
      "64:the command line does not make sense",
      "65:the store holds something else under this name",
      "69:the store cannot be reached, or does not answer",
      "75:not acquired: busy (--try), or the wait is over (--wait)",
      "76:the lock was lost while the command ran",
      "126:the command could not be started; 127: there is no such command",
      "130:SIGINT came while waiting; 143: SIGTERM"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice lock nightly-report -- ./report.sh",
      "  sluice lock --try deploy -- make deploy || echo 'another deployment is running'",
      "  sluice lock orders/42 -- sh -c 'curl -H \"Fencing-Token: $SLUICE_FENCE\" ...'"
    })
public final class LockCommand implements Callable<Integer> {
  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
  private static final Duration GRACE = Duration.ofSeconds(5);

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(index = "0", paramLabel = "NAME", description = "The lock: 1 to 512 bytes of UTF-8.")
  private String name;

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      hideParamSyntax = true,
      description = "What to run, and its arguments. They stand after '--'.")
  private List<String> command = List.of();

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description = "Longest wait, like 250ms, 10s, 2m, 1h or PT1H30M. Default: no bound.")
  private @Nullable String wait;

  @Option(names = "--try", description = "Do not wait: run the command now or not at all.")
  private boolean once;

  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      defaultValue = "30s",
      description =
          "Length of the lease, 10ms to 1d, renewed at a third of it. If this machine dies, the"
              + " others wait this long. Default: ${DEFAULT-VALUE}.")
  private String ttl;

  @SuppressWarnings("NullAway.Init")
  LockCommand() {}

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    Arguments.checkDecoded(spec.commandLine(), command);
    checkCommand();
    Duration longest = longestWait();
    LockOptions options = LockOptions.renewing(ttl());
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      DistributedLock lock = sluice.lock(name, options);
      try (Signals signals = Signals.interrupting(Thread.currentThread())) {
        return run(sluice, lock, longest, signals);
      }
    }
  }

  private int run(Sluice sluice, DistributedLock lock, Duration longest, Signals signals) {
    PrintWriter err = spec.commandLine().getErr();
    try {
      Optional<Lease> acquired = acquire(sluice, lock, longest, err);
      if (acquired.isPresent()) {
        try (Lease lease = acquired.get()) {
          return signals.exitCode() != 0
              ? signals.exitCode()
              : runUnder(lease, sluice.clientId(), signals, err);
        }
      }
    } catch (InterruptedException e) {
      return signals.exitCode();
    }
    if (signals.exitCode() != 0) {
      return signals.exitCode();
    }
    Text.report(
        err,
        "lock '"
            + name
            + (longest.isZero()
                ? "' is held by another process"
                : "' was not free within " + DurationText.brief(longest)));
    return Exit.NOT_ACQUIRED;
  }

  private Optional<Lease> acquire(
      Sluice sluice, DistributedLock lock, Duration longest, PrintWriter err)
      throws InterruptedException {
    if (longest.isZero()) {
      return lock.tryAcquire();
    }
    try (StatusLine line = WaitProgress.start(sluice, name, err)) {
      return lock.tryAcquire(longest);
    }
  }

  private int runUnder(Lease lease, String owner, Signals signals, PrintWriter err)
      throws InterruptedException {
    Map<String, String> environment =
        Map.of(
            "SLUICE_LOCK", lease.name(),
            "SLUICE_TOKEN", String.valueOf(lease.token()),
            "SLUICE_OWNER", owner,
            "SLUICE_FENCE", FencingToken.of(lease).toString());
    Child child;
    try {
      child = Child.start(command, environment);
    } catch (Child.NotStarted e) {
      Text.report(err, e.getMessage());
      return e.exitCode;
    }
    signals.passTo(child);
    CompletableFuture<Integer> ended = child.ended();
    CompletableFuture<Void> lost = new CompletableFuture<>();
    lease.onChange((changed, state) -> onChange(changed, state, lost, err));
    awaitEither(ended, lost);
    if (!ended.isDone()) {
      return stop(child, lease, err);
    }
    if (!lease.release()) {
      Text.report(err, lossOf(lease) + "; the command had ended with " + ended.join());
      return Exit.LOST;
    }
    return ended.join();
  }

  private void onChange(
      Lease lease, LeaseState state, CompletableFuture<Void> lost, PrintWriter err) {
    switch (state) {
      case LOST -> lost.complete(null);
      case IN_DOUBT ->
          Text.report(
              err,
              "lock '"
                  + name
                  + "' is in doubt: it was not renewed, and is lost in "
                  + DurationText.brief(lease.remaining()));
      case HELD -> Text.report(err, "lock '" + name + "' is renewed again");
      case RELEASED -> {}
    }
  }

  private static void awaitEither(CompletableFuture<Integer> ended, CompletableFuture<Void> lost)
      throws InterruptedException {
    try {
      CompletableFuture.anyOf(ended, lost).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("waiting for the command failed", e);
    }
  }

  private static int stop(Child child, Lease lease, PrintWriter err) throws InterruptedException {
    Text.report(err, lossOf(lease) + "; stopping the command");
    if (!child.stop(GRACE)) {
      Text.report(err, "the command, or something that it started, is still there after SIGKILL");
    }
    return Exit.LOST;
  }

  private static String lossOf(Lease lease) {
    try {
      lease.checkHeld();
      return "lock '" + lease.name() + "' lost";
    } catch (LeaseLostException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private void checkCommand() {
    List<String> typed = spec.commandLine().getParseResult().originalArgs();
    int mark = typed.indexOf("--");
    if (command.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "the command is missing. It stands after '--': sluice lock NAME -- COMMAND");
    }
    if (mark < 0 || mark >= typed.size() - command.size()) {
      throw new ParameterException(
          spec.commandLine(), "put '--' before the command: sluice lock NAME -- COMMAND");
    }
  }

  private Duration longestWait() {
    if (wait == null) {
      return once ? Duration.ZERO : FOREVER;
    }
    if (once) {
      throw new ParameterException(spec.commandLine(), "--try and --wait exclude each other");
    }
    return DurationText.option(spec.commandLine(), "--wait", wait);
  }

  private Duration ttl() {
    Duration length = DurationText.option(spec.commandLine(), "--ttl", ttl);
    if (length.compareTo(LockOptions.MIN_TTL) < 0 || length.compareTo(LockOptions.MAX_TTL) > 0) {
      throw new ParameterException(spec.commandLine(), "--ttl must be 10ms to 1d: " + ttl);
    }
    return length;
  }
}
