package dev.sluice.cli.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Keeps SQLite's native library in a file. Left alone, its driver unpacks it into the temporary
 * folder at each start, and a process that is killed never removes its copy.
 */
final class SqliteLibrary {
  private static final System.Logger LOG = System.getLogger("dev.sluice.cli");
  private static final String PATH = "org.sqlite.lib.path";

  private SqliteLibrary() {}

  /**
   * Unpacks the library into a folder named by its hash, if it is missing. Before loading, checks
   * that the file is unchanged and that only this user may write to it. Where that is not so the
   * driver does as it always does.
   */
  static void prepare() {
    if (System.getProperty(PATH) != null) {
      return;
    }
    String packed = LibraryLoaderUtil.getNativeLibResourcePath();
    String name = LibraryLoaderUtil.getNativeLibName();
    try {
      byte[] content = packed(packed + "/" + name);
      Path kept = DefaultStore.home().resolve("lib");
      Path folder = kept.resolve("sqlite-" + HexFormat.of().formatHex(hash(content), 0, 16));
      Path library = folder.resolve(name);
      DefaultStore.make(DefaultStore.home());
      DefaultStore.make(kept);
      DefaultStore.make(folder);
      if (!Files.exists(library)) {
        unpack(content, folder, library);
      }
      DefaultStore.checkOwn(library);
      if (Arrays.equals(content, Files.readAllBytes(library))) {
        System.setProperty(PATH, folder.toString());
      } else {
        LOG.log(System.Logger.Level.WARNING, "{0} was changed, and is not used", library);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "SQLite's library cannot be kept", e);
    }
  }

  private static byte[] packed(String place) throws IOException {
    try (InputStream content = SQLiteJDBCLoader.class.getResourceAsStream(place)) {
      if (content == null) {
        throw new IOException("no library for this machine: " + place);
      }
      return content.readAllBytes();
    }
  }

  private static byte[] hash(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** Other processes may unpack concurrently; each gets a complete file. */
  private static void unpack(byte[] content, Path folder, Path library) throws IOException {
    Path part = Files.createTempFile(folder, "part", null);
    try {
      Files.write(part, content);
      Files.move(part, library, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
