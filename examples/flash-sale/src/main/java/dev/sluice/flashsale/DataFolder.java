package dev.sluice.flashsale;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Collections;
import java.util.Set;

/**
 * The folder of the demo's database and of its password. A user that may log in to H2 may run code
 * in its process, and other processes reach it over a port of this machine. So only one user may
 * read the folder and its password.
 */
final class DataFolder {
  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  private static final Set<PosixFilePermission> WRITTEN_BY_OTHERS =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private DataFolder() {}

  /**
   * The password of a database; created by the first call.
   *
   * @param data the file of the database without its ending
   * @throws IOException if the folder cannot be made, others can write into it, or an older
   *     database has no password
   */
  static String password(Path data) throws IOException {
    Path folder = requireNonNull(data.toAbsolutePath().getParent(), "a file has a folder");
    Path secret = folder.resolve(data.getFileName() + ".password");
    Files.createDirectories(folder, only("rwx------"));
    if (POSIX && !Collections.disjoint(Files.getPosixFilePermissions(folder), WRITTEN_BY_OTHERS)) {
      throw new IOException(
          "others can write into " + folder + ": use a folder of your own, or chmod go-w");
    }
    if (Files.notExists(secret)) {
      if (Files.exists(folder.resolve(data.getFileName() + ".mv.db"))) {
        throw new IOException(
            "the database %s.mv.db has no password: it is of an older demo; delete it"
                .formatted(data));
      }
      make(folder, secret);
    }
    return Files.readString(secret);
  }

  /**
   * Written to another file and linked: no process reads half of it, and of two that begin one
   * wins.
   */
  private static void make(Path folder, Path secret) throws IOException {
    byte[] bits = new byte[24];
    new SecureRandom().nextBytes(bits);
    Path made = Files.createTempFile(folder, "password", null, only("rw-------"));
    try {
      Files.writeString(made, Base64.getUrlEncoder().encodeToString(bits));
      Files.createLink(secret, made);
    } catch (FileAlreadyExistsException e) {
      return; // another process was first
    } finally {
      Files.delete(made);
    }
  }

  private static FileAttribute<?>[] only(String rights) {
    return POSIX
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))
        }
        : new FileAttribute<?>[0];
  }
}
