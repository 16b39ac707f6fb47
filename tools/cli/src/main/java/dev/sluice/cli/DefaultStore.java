package dev.sluice.cli;

import dev.sluice.BackendException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** The store that is used when none is named: a file of this machine's user. */
final class DefaultStore {
  private static final String FOLDER = ".sluice";
  private static final String FILE = "sluice.db";

  private DefaultStore() {}

  /** {@return where it is: its folder may not be there yet} */
  static Path file() {
    return home().resolve(FILE);
  }

  /** {@return the folder of what this command line keeps} */
  static Path home() {
    return Path.of(System.getProperty("user.home"), FOLDER);
  }

  /** {@return its URL} */
  static String url() {
    return "jdbc:sqlite:" + file();
  }

  /**
   * Makes the folder, for its owner alone: whoever can write to the file can take and free locks.
   *
   * @throws BackendException if it cannot be made
   */
  static void makeFolder() {
    try {
      make(home());
    } catch (IOException e) {
      throw new BackendException(
          "the default store needs the folder "
              + home()
              + ", which cannot be made ("
              + e.getMessage()
              + "); name a store with --url or SLUICE_URL",
          e);
    }
  }

  static void make(Path folder) throws IOException {
    if (!folder.isAbsolute()) { // Java calls the home of a user without one "?"
      throw new IOException("the user has no home");
    }
    if (Files.isDirectory(folder)) {
      return;
    }
    boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] owners =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
            }
            : new FileAttribute<?>[0];
    Files.createDirectories(folder, owners);
  }
}
