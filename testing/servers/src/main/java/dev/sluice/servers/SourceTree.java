package dev.sluice.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The source tree that a test runs in, found from any folder of it. */
public final class SourceTree {
  private static final Pattern MODULE = Pattern.compile("<module>([\\w/-]+)</module>");

  private SourceTree() {}

  /** A file or folder of the tree, by its path from the root. */
  public static Path path(String path) {
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("mvnw"))) {
        return folder.resolve(path);
      }
    }
    throw new IllegalStateException("no source tree of Sluice above " + start);
  }

  /** The folders of all modules, from the root, in the order in which they are built. */
  public static List<String> modules() throws IOException {
    return MODULE
        .matcher(Files.readString(path("pom.xml")))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** The folder of a module, by its last name: {@code redis} is {@code stores/redis}. */
  public static Path module(String name) throws IOException {
    return modules().stream()
        .filter(folder -> folder.equals(name) || folder.endsWith("/" + name))
        .findFirst()
        .map(SourceTree::path)
        .orElseThrow(() -> new IllegalArgumentException("no module " + name));
  }
}
