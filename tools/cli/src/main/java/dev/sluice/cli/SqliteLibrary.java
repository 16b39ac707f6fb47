package dev.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Keeps SQLite's native library in a file. Left alone, its driver unpacks it into the temporary
 * folder at each start, and a process that is killed leaves its copy there for good.
 */
final class SqliteLibrary {
  private static final String PATH = "org.sqlite.lib.path";

  private SqliteLibrary() {}

  /**
   * Unpacks it if it is not there yet. Where that is not possible the driver does as it always
   * does.
   */
  static void prepare() {
    if (System.getProperty(PATH) != null) {
      return;
    }
    String packed = LibraryLoaderUtil.getNativeLibResourcePath();
    String name = LibraryLoaderUtil.getNativeLibName();
    Path folder =
        DefaultStore.home()
            .resolve("lib")
            .resolve("sqlite-" + SQLiteJDBCLoader.getVersion())
            .resolve(packed.substring(packed.indexOf("native/") + "native/".length()));
    Path library = folder.resolve(name);
    try {
      if (!Files.exists(library)) {
        unpack(packed + "/" + name, folder, library);
      }
      System.setProperty(PATH, folder.toString());
    } catch (IOException e) {
      System.getLogger("dev.sluice.cli")
          .log(System.Logger.Level.DEBUG, "SQLite's library cannot be kept at " + library, e);
    }
  }

  /** Others may do the same just now: each gets a whole file. */
  private static void unpack(String packed, Path folder, Path library) throws IOException {
    try (InputStream content = SQLiteJDBCLoader.class.getResourceAsStream(packed)) {
      if (content == null) {
        throw new IOException("no library for this machine: " + packed);
      }
      DefaultStore.make(folder);
      Path part = Files.createTempFile(folder, "part", null);
      try {
        Files.copy(content, part, StandardCopyOption.REPLACE_EXISTING);
        Files.move(part, library, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(part);
      }
    }
  }
}
