package dev.sluice.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** One server for each test JVM; each test gets an empty database on it. */
final class Databases {
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static Server postgresql;
  private static ServerProcess mariadb;

  private Databases() {}

  static Database empty(Dialect dialect) {
    return switch (dialect) {
      case H2 -> h2();
      case SQLITE -> sqlite();
      case POSTGRESQL -> postgresql();
      case MARIADB -> mariadb();
    };
  }

  private static Database h2() {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";
    return new Plain(Dialect.H2, url, "sa") {
      @Override
      public void close() {
        execute("SHUTDOWN");
      }
    };
  }

  private static Database sqlite() {
    try {
      Path folder = Files.createTempDirectory("sluice-sqlite");
      Path file = folder.resolve("guard.db");
      String url =
          "jdbc:sqlite:"
              + file
              + "?transaction_mode=IMMEDIATE&busy_timeout=60000&journal_mode=WAL"
              + "&synchronous=OFF";
      return new Plain(Dialect.SQLITE, url, "") {
        @Override
        public void close() {
          for (String suffix : List.of("", "-wal", "-shm")) {
            folder.resolve(file.getFileName() + suffix).toFile().delete();
          }
          folder.toFile().delete();
        }
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A server that is running, and may be stopped and started again. */
  record Server(ServerProcess process, Runnable start) implements AutoCloseable {
    String url(String database) {
      return "jdbc:postgresql://127.0.0.1:" + process.port + "/" + database;
    }

    @Override
    public void close() {
      process.close();
    }
  }

  /** A server of a test's own. */
  static Server startPostgresql() {
    String[] debian = debianFolders();
    Path initdb = found(ServerProcess.find("initdb", debian), "PostgreSQL");
    Path program = found(ServerProcess.find("postgres", debian), "PostgreSQL");
    ServerProcess made = ServerProcess.inFolderOf("postgres", "INT");
    Path data = made.folder.resolve("data");
    made.prepare(
        initdb.toString(),
        "-D",
        data.toString(),
        "-U",
        "sluice",
        "-A",
        "trust",
        "--no-sync",
        "--encoding=UTF8",
        "--locale=C.UTF-8");
    String[] command = {
      program.toString(),
      "-D",
      data.toString(),
      "-p",
      "" + made.port,
      "-h",
      "127.0.0.1",
      "-k",
      made.folder.toString(),
      "-c",
      "fsync=off"
    };
    String url = "jdbc:postgresql://127.0.0.1:" + made.port + "/postgres";
    Runnable start = () -> made.start(url, "sluice", command);
    start.run();
    return new Server(made, start);
  }

  private static synchronized Database postgresql() {
    if (postgresql == null) {
      postgresql = startPostgresql();
      atExit(postgresql.process);
    }
    String name = "test" + NEXT.incrementAndGet();
    Database all = new Plain(Dialect.POSTGRESQL, postgresql.url("postgres"), "sluice");
    all.execute("CREATE DATABASE " + name);
    return new Plain(Dialect.POSTGRESQL, postgresql.url(name), "sluice");
  }

  /** The port of a server that is running. */
  static synchronized int port(Dialect dialect) {
    return dialect == Dialect.POSTGRESQL ? postgresql.process.port : mariadb.port;
  }

  private static synchronized Database mariadb() {
    if (mariadb == null) {
      Path install = found(ServerProcess.find("mariadb-install-db", "/usr/bin"), "MariaDB");
      Path program = found(ServerProcess.find("mariadbd", "/usr/sbin"), "MariaDB");
      ServerProcess made = ServerProcess.inFolderOf(System.getProperty("user.name"), "TERM");
      atExit(made);
      Path data = made.folder.resolve("data");
      String user = "--user=" + System.getProperty("user.name");
      made.prepare(
          install.toString(),
          "--no-defaults",
          "--datadir=" + data,
          user,
          "--skip-test-db",
          "--auth-root-authentication-method=normal");
      made.start(
          "jdbc:mariadb://127.0.0.1:" + made.port + "/",
          "root",
          program.toString(),
          "--no-defaults",
          user,
          "--datadir=" + data,
          "--port=" + made.port,
          "--bind-address=127.0.0.1",
          "--socket=" + made.folder.resolve("s"),
          "--innodb-flush-log-at-trx-commit=0",
          "--innodb-lock-wait-timeout=60");
      mariadb = made;
    }
    String name = "test" + NEXT.incrementAndGet();
    String server = "jdbc:mariadb://127.0.0.1:" + mariadb.port + "/";
    new Plain(Dialect.MARIADB, server, "root").execute("CREATE DATABASE " + name);
    return new Plain(Dialect.MARIADB, server + name, "root");
  }

  private static String[] debianFolders() {
    List<String> folders = new ArrayList<>();
    Path versions = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(versions)) {
      try (Stream<Path> each = Files.list(versions)) {
        each.map(version -> version.resolve("bin").toString()).sorted().forEach(folders::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return folders.toArray(String[]::new);
  }

  /**
   * The build brings no database server: where there is none on the machine, its tests are left
   * out.
   */
  private static Path found(Optional<Path> program, String what) {
    return program.orElseThrow(
        () -> new TestAbortedException(what + " is not installed on this machine"));
  }

  private static void atExit(ServerProcess server) {
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "sluice-database-end"));
  }

  private static class Plain implements Database {
    private final Dialect dialect;
    private final String url;
    private final String user;

    Plain(Dialect dialect, String url, String user) {
      this.dialect = dialect;
      this.url = url;
      this.user = user;
    }

    @Override
    public Dialect dialect() {
      return dialect;
    }

    @Override
    public String url() {
      return switch (dialect) {
        case POSTGRESQL, MARIADB -> url + "?user=" + user;
        case H2 -> url + ";USER=" + user;
        case SQLITE -> url;
      };
    }

    @Override
    public Connection connect() throws SQLException {
      return DriverManager.getConnection(url, user, "");
    }

    @Override
    public void close() {
      // ends with its server
    }
  }
}
