package dev.sluice.cli.lock;

import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Text;
import dev.sluice.fencing.Scene;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "fencing-demo",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    description = {
      "See a pause break a lock, and a guard that makes up for it.",
      "",
      "Starts a redis-server on a free port and two processes that add to one balance"
          + " under one lock. The first is stopped (SIGSTOP) after its read; the second takes over"
          + " when the lease has ended, and writes; the first resumes (SIGCONT). Played twice: the"
          + " bare write lands on top of the other one, the guarded one is refused. Everything is"
          + " ended and removed afterwards."
    },
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the update was lost without the guard, and not with it",
      "64:the command line does not make sense",
      "69:there is no redis-server",
      "70:it came otherwise",
      "130:ended by Ctrl-C"
    })
public final class FencingDemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      defaultValue = "1s",
      description = "Length of a lease, 100ms to 1m. Default: ${DEFAULT-VALUE}.")
  private String ttl;

  @Option(
      names = "--redis-server",
      paramLabel = "FILE",
      description = "The program. Default: the one on the PATH.")
  private @Nullable Path program;

  @SuppressWarnings("NullAway.Init")
  FencingDemoCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Duration lease = ttl();
    Optional<Path> redis = redisServer();
    if (redis.isEmpty()) {
      Text.report(
          err,
          program == null
              ? "there is no redis-server on the PATH: install one (Debian: apt-get install"
                  + " redis-server), or name it with --redis-server"
              : "cannot run '" + program + "'");
      return Exit.UNREACHABLE;
    }
    Scene scene =
        new Scene(
            redis.get(),
            lease,
            line -> {
              out.println(line);
              out.flush();
            });
    out.printf(
        "One lock, two processes, a balance of %d. A adds %d, B adds %d. A lease lasts %s.%n",
        Scene.BEFORE, Scene.BY_A, Scene.BY_B, DurationText.brief(lease));
    out.printf("%nWithout a guard:%n");
    out.flush();
    Scene.Outcome bare = scene.play(false);
    out.printf(
        "  The balance is %d%s.%n%nWith a guard:%n",
        bare.balance(), lostUpdate(bare) ? ": what B added is lost" : "");
    out.flush();
    Scene.Outcome guarded = scene.play(true);
    out.printf(
        "  The balance is %d%s.%n",
        guarded.balance(),
        refused(guarded) ? ": nothing is lost. A knows, and may start over" : "");
    if (!lostUpdate(bare) || !refused(guarded)) {
      Text.report(err, "this did not go as it should: see the steps above");
      return Exit.DEFECT;
    }
    return Exit.OK;
  }

  private static boolean lostUpdate(Scene.Outcome outcome) {
    return outcome.refusedAfter() == null && outcome.balance() == Scene.BEFORE + Scene.BY_A;
  }

  private static boolean refused(Scene.Outcome outcome) {
    return outcome.tokenOfB().equals(outcome.refusedAfter())
        && outcome.balance() == Scene.BEFORE + Scene.BY_B;
  }

  private Duration ttl() {
    Duration length = DurationText.option(spec.commandLine(), "--ttl", ttl);
    if (length.toMillis() < 100 || length.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new ParameterException(spec.commandLine(), "--ttl must be 100ms to 1m: " + ttl);
    }
    return length;
  }

  private Optional<Path> redisServer() {
    if (program != null) {
      return Optional.of(program).filter(Files::isExecutable);
    }
    String path = System.getenv("PATH");
    return Arrays.stream((path == null ? "" : path).split(":"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
