package dev.sluice.jdbc;

import dev.sluice.servers.PostgresqlServer;
import dev.sluice.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.opentest4j.TestAbortedException;

/** One server for each test JVM; each test gets an empty database on it. */
public final class Databases {
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static PostgresqlServer postgresql;
  private static ServerProcess mariadb;

  private Databases() {}

  public static Database empty(Dialect dialect) {
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

  /** A server of a test's own. */
  static PostgresqlServer startPostgresql() {
    if (!PostgresqlServer.isInstalled()) {
      throw new TestAbortedException(PostgresqlServer.ABSENT);
    }
    return PostgresqlServer.start("fsync=off");
  }

  private static synchronized Database postgresql() {
    if (postgresql == null) {
      postgresql = startPostgresql();
    }
    String name = "test" + NEXT.incrementAndGet();
    postgresql.create(name);
    String url = "jdbc:postgresql://127.0.0.1:" + postgresql.port() + "/" + name;
    return new Plain(Dialect.POSTGRESQL, url, "sluice");
  }

  /** The port of a server that is running. */
  static synchronized int port(Dialect dialect) {
    return dialect == Dialect.POSTGRESQL ? postgresql.port() : mariadb.port();
  }

  private static synchronized Database mariadb() {
    if (mariadb == null) {
      MariadbPrograms programs =
          MariadbPrograms.find()
              .orElseThrow(() -> new TestAbortedException(MariadbPrograms.ABSENT));
      ServerProcess made = ServerProcess.inFolderOf(System.getProperty("user.name"), "TERM");
      atExit(made);
      Path data = made.folder().resolve("data");
      String user = "--user=" + System.getProperty("user.name");
      // a server that starts deletes the temporary tables that it finds, those of others too
      String temporary = "--tmpdir=" + made.folder();
      made.prepare(
          programs.install().toString(),
          "--no-defaults",
          "--basedir=" + programs.base(),
          "--datadir=" + data,
          temporary,
          user,
          "--skip-test-db",
          "--auth-root-authentication-method=normal");
      String server = "jdbc:mariadb://127.0.0.1:" + made.port() + "/";
      made.start(
          () -> answers(server),
          Map.of(),
          List.of(
              programs.server().toString(),
              "--no-defaults",
              "--basedir=" + programs.base(),
              user,
              "--datadir=" + data,
              temporary,
              "--port=" + made.port(),
              "--bind-address=127.0.0.1",
              "--socket=" + made.folder().resolve("s"),
              "--innodb-flush-log-at-trx-commit=0",
              "--innodb-lock-wait-timeout=60"));
      mariadb = made;
    }
    String name = "test" + NEXT.incrementAndGet();
    String server = "jdbc:mariadb://127.0.0.1:" + mariadb.port() + "/";
    new Plain(Dialect.MARIADB, server, "root").execute("CREATE DATABASE " + name);
    return new Plain(Dialect.MARIADB, server + name, "root");
  }

  private static boolean answers(String url) {
    try (Connection connection = DriverManager.getConnection(url, "root", "")) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false; // not yet, or no more: the caller looks at its process
    }
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
