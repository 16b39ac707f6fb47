package dev.sluice.bench;

import dev.sluice.bench.pictures.LimitPictures;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench limit-pictures}: draws what each algorithm of rate limits admits. */
@Command(
    name = "limit-pictures",
    description = {
      "Draws what each algorithm of rate limits admits of the same calls, in virtual time.",
      "Nothing is measured: the pictures are the same on every machine."
    },
    mixinStandardHelpOptions = true)
final class LimitPicturesCommand implements Callable<Integer> {
  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: docs/images/limits.")
  private @Nullable Path out;

  @Override
  public Integer call() throws Exception {
    Path folder = out == null ? ReportCommand.home().resolve("docs/images/limits") : out;
    LimitPictures.write(folder);
    System.out.print(LimitPictures.table());
    System.out.println("written: " + folder);
    return 0;
  }
}
