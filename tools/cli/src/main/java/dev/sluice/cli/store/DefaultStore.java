package dev.sluice.cli.store;

import com.sun.security.auth.module.UnixSystem;
import dev.sluice.BackendException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The default store: a file of this machine's user. */
public final class DefaultStore {
  private static final String FOLDER = ".sluice";
  private static final String FILE = "sluice.db";

  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

  private DefaultStore() {}

  /** {@return the file of the store, whose folder may not exist yet} */
  static Path file() {
    return home().resolve(FILE);
  }

  /** {@return the folder of this command line's files} */
  static Path home() {
    String home = System.getenv("HOME");
    return Path.of(home == null || home.isBlank() ? System.getProperty("user.home") : home, FOLDER);
  }

  /** {@return the URL of the store} */
  public static String url() {
    return "jdbc:sqlite:" + file();
  }

  /**
   * Creates folder and file for their owner only, because a user that can write to the file can
   * take and release locks.
   *
   * @throws BackendException if it cannot be made, or others can write there
   */
  static void makeFolder() {
    try {
      make(home());
      if (Files.notExists(file())) {
        try {
          Files.createFile(file(), rights("rw-------"));
        } catch (FileAlreadyExistsException e) {
          // by another command meanwhile
        }
      }
      checkOwn(file());
    } catch (IOException e) {
      throw new BackendException(
          "the default store needs the folder "
              + home()
              + ", which cannot be used ("
              + e.getMessage()
              + "); name a store with --url or SLUICE_URL",
          e);
    }
  }

  static void make(Path folder) throws IOException {
    if (!folder.isAbsolute()) { // Java calls the home of a user without one "?"
      throw new IOException("the user has no home");
    }
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, rights("rwx------"));
    }
    checkOwn(folder);
  }

  private static FileAttribute<?>[] rights(String rights) {
    return POSIX
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))
        }
        : new FileAttribute<?>[0];
  }

  /**
   * Applies ssh's rule: a trusted file belongs to the current user or to root, and no other user
   * may write to it.
   *
   * @throws IOException if another user may
   */
  static void checkOwn(Path place) throws IOException {
    if (!POSIX) {
      return;
    }
    checkOwner(place);
    Set<PosixFilePermission> rights = Files.getPosixFilePermissions(place);
    if (rights.contains(PosixFilePermission.GROUP_WRITE)
        || rights.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException("others can write to " + place + ": chmod go-w " + place);
    }
  }

  /** {@return whether the file belongs to root} */
  private static boolean checkOwner(Path place) throws IOException {
    int owner = (Integer) Files.getAttribute(place, "unix:uid");
    long us = new UnixSystem().getUid();
    if (owner != 0 && owner != us) {
      throw new IOException(place + " belongs to another user, " + owner);
    }
    return owner != us;
  }

  /**
   * Applies ssh's rule: a file with a secret belongs to the current user or to root, and no other
   * user may read it. The group may read a file of root, which is how a service gets a secret.
   *
   * @throws IOException if another user may
   */
  public static void checkSecret(Path file) throws IOException {
    if (!POSIX || !Files.isRegularFile(file)) { // a pipe has no other reader
      return;
    }
    boolean roots = checkOwner(file);
    Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
    rights.removeAll(PosixFilePermissions.fromString("rwx------"));
    if (roots) {
      rights.remove(PosixFilePermission.GROUP_READ);
    }
    if (!rights.isEmpty()) {
      throw new IOException("others can use " + file + ": chmod go= " + file);
    }
  }
}
