package dev.sluice.bench;

import dev.sluice.bench.pictures.CachePictures;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench cache-pictures}: what a database is asked, with and without guards. */
@Command(
    name = "cache-pictures",
    description = {
      "Counts and draws what a database is asked behind an ordinary cache and a guarded one:",
      "avalanche, penetration, breakdown. Takes some seconds, needs no server."
    },
    mixinStandardHelpOptions = true)
final class CachePicturesCommand implements Callable<Integer> {
  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: docs/images/cache.")
  private @Nullable Path out;

  @Override
  public Integer call() throws Exception {
    Path folder = out == null ? ReportCommand.home().resolve("docs/images/cache") : out;
    CachePictures pictures = CachePictures.play();
    pictures.write(folder);
    System.out.print(pictures.table());
    System.out.println("written: " + folder);
    return 0;
  }
}
