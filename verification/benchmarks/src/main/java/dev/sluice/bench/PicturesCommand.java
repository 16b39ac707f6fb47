package dev.sluice.bench;

import dev.sluice.bench.pictures.CachePictures;
import dev.sluice.bench.pictures.LimitPictures;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Draws the pictures of a document, without a server. */
abstract class PicturesCommand implements Callable<Integer> {
  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where files go: the folder of the document's pictures.")
  private @Nullable Path out;

  Path folder(String usual) throws URISyntaxException {
    return out == null ? ReportCommand.home().resolve(usual) : out;
  }

  private static int write(Path folder, Map<String, String> pictures, String table)
      throws IOException {
    Files.createDirectories(folder);
    for (Map.Entry<String, String> picture : pictures.entrySet()) {
      Files.writeString(folder.resolve(picture.getKey()), picture.getValue());
    }
    System.out.print(table);
    System.out.println("written: " + folder);
    return 0;
  }

  /** {@code ./sluice bench limit-pictures}. */
  @Command(
      name = "limit-pictures",
      description = {
        "Draws what each algorithm of rate limits admits of the same calls, in virtual time.",
        "Nothing is measured: the pictures are the same on every machine."
      },
      mixinStandardHelpOptions = true)
  static final class Limits extends PicturesCommand {
    @Override
    public Integer call() throws Exception {
      Path folder = folder("docs/images/limits");
      return write(folder, LimitPictures.draw(), LimitPictures.table());
    }
  }

  /** {@code ./sluice bench cache-pictures}. */
  @Command(
      name = "cache-pictures",
      description = {
        "Counts and draws what a database is asked behind an ordinary cache and a guarded one:",
        "avalanche, penetration, breakdown. Takes some seconds, needs no server."
      },
      mixinStandardHelpOptions = true)
  static final class Caches extends PicturesCommand {
    @Override
    public Integer call() throws Exception {
      Path folder = folder("docs/images/cache");
      CachePictures pictures = CachePictures.play();
      return write(folder, pictures.draw(), pictures.table());
    }
  }
}
