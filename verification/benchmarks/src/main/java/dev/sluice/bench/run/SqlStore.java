package dev.sluice.bench.run;

import dev.sluice.bench.systems.SqlLibraries;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.servers.ServerProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A database server of our own, which writes to the disk as it does by default. */
final class SqlStore implements BenchStore {
  /** Ten for each worker, and some more. */
  private static final String CONNECTIONS = "300";

  private final ServerProcess server;
  private final String uri;
  private final String counts;
  private final String about;
  private final Connection control;

  /**
   * @param control URL for looking on, apart from the database that is measured
   * @param counts query of two columns: kind of statement, how often it was executed
   */
  private SqlStore(ServerProcess server, String uri, String control, String counts, String about)
      throws SQLException {
    this.server = server;
    this.uri = uri;
    this.counts = counts;
    this.control = DriverManager.getConnection(control);
    this.about =
        this.control.getMetaData().getDatabaseProductVersion().replaceFirst("[ -].*", "") + about;
  }

  // ---- PostgreSQL ----

  /** {@return the folder of its programs, if they are on the PATH} */
  static Optional<Path> postgresqlPrograms() {
    return ServerProcess.find("initdb").map(Path::getParent);
  }

  static SqlStore postgresql() {
    Path programs = postgresqlPrograms().orElseThrow();
    ServerProcess server = ServerProcess.inFolderOf("postgres", "INT");
    return launched(
        server,
        () -> {
          String data = server.folder().resolve("data").toString();
          List<String> initdb = words(programs.resolve("initdb"), "-D", data);
          initdb.addAll(words("-U sluice -A trust --encoding=UTF8 --locale=C.UTF-8".split(" ")));
          server.prepare(initdb.toArray(new String[0]));
          String address = "jdbc:postgresql://127.0.0.1:" + server.port() + "/";
          String control = address + "postgres?user=sluice";
          String measured = address + "bench?user=sluice";
          List<String> postgres = words(programs.resolve("postgres"), "-D", data);
          postgres.addAll(words("-p", server.port(), "-h", "127.0.0.1", "-k", server.folder()));
          postgres.addAll(words("-c", "max_connections=" + CONNECTIONS));
          postgres.addAll(words("-c", "shared_preload_libraries=pg_stat_statements"));
          server.start(
              () -> DriverManager.getConnection(control).close(), postgres.toArray(new String[0]));
          execute(control, "CREATE EXTENSION pg_stat_statements", "CREATE DATABASE bench");
          try (Connection connection = DriverManager.getConnection(measured)) {
            SqlLibraries.createOnPostgresql(connection);
          }
          makeTables(measured);
          return new SqlStore(
              server,
              measured,
              control,
              "SELECT substring(lower(query) FROM '[a-z]+'), sum(calls)::bigint"
                  + " FROM pg_stat_statements WHERE dbid ="
                  + " (SELECT oid FROM pg_database WHERE datname = 'bench') GROUP BY 1",
              ", its own server on the loopback, default settings (fsync on), pg_stat_statements");
        });
  }

  // ---- MariaDB ----

  /** {@return its server program, if it is installed with what it takes to set it up} */
  static Optional<Path> mariadbProgram() {
    return ServerProcess.find("mariadbd")
        .filter(program -> ServerProcess.find("mariadb-install-db").isPresent());
  }

  static SqlStore mariadb() {
    Path program = mariadbProgram().orElseThrow();
    ServerProcess server = ServerProcess.ofOurUser();
    return launched(
        server,
        () -> {
          String data = "--datadir=" + server.folder().resolve("data");
          String user = "--user=" + System.getProperty("user.name");
          String temporary = "--tmpdir=" + server.folder();
          server.prepare(
              ServerProcess.find("mariadb-install-db").orElseThrow().toString(),
              "--no-defaults",
              data,
              temporary,
              user,
              "--skip-test-db",
              "--auth-root-authentication-method=normal");
          String address = "jdbc:mariadb://127.0.0.1:" + server.port() + "/";
          String control = address + "?user=root";
          server.start(
              () -> DriverManager.getConnection(control).close(),
              program.toString(),
              "--no-defaults",
              user,
              data,
              temporary,
              "--port=" + server.port(),
              "--bind-address=127.0.0.1",
              "--socket=" + server.folder().resolve("s"),
              "--max-connections=" + CONNECTIONS);
          String measured = address + "bench?user=root";
          execute(control, "CREATE DATABASE bench");
          makeTables(measured);
          return new SqlStore(
              server,
              measured,
              control,
              "SELECT variable_name, variable_value FROM information_schema.global_status"
                  + " WHERE variable_name = 'QUESTIONS'",
              ", its own server on the loopback, default settings (log forced to the disk at each"
                  + " commit)");
        });
  }

  // ---- SQLite ----

  static BenchStore sqlite(Path file) {
    String uri = "jdbc:sqlite:" + file;
    makeTables(uri);
    try (Connection connection = DriverManager.getConnection(uri)) {
      SqlLibraries.createOnSqlite(connection);
      String version = connection.getMetaData().getDatabaseProductVersion();
      return new Embedded(uri, version + ", a file, write-ahead log");
    } catch (SQLException e) {
      throw new IllegalStateException("cannot make " + file + ": " + e.getMessage(), e);
    }
  }

  // ---- all ----

  private static List<String> words(Object... words) {
    return Stream.of(words).map(String::valueOf).collect(Collectors.toCollection(ArrayList::new));
  }

  private interface Launch {
    SqlStore run() throws SQLException;
  }

  private static SqlStore launched(ServerProcess server, Launch launch) {
    try {
      return launch.run();
    } catch (SQLException e) {
      server.close();
      throw new IllegalStateException("database server: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Creates Sluice's tables, before several workers would create them concurrently. */
  static void makeTables(String url) {
    JdbcBackend.builder().url(url).createTables(true).build().close();
  }

  private static void execute(String url, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String each : List.of(statements)) {
        statement.execute(each);
      }
    }
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public ServerCounters counters() {
    Map<String, Long> calls = new HashMap<>();
    try (Statement statement = control.createStatement();
        ResultSet rows = statement.executeQuery(counts)) {
      while (rows.next()) {
        calls.put(String.valueOf(rows.getString(1)), rows.getLong(2));
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot count statements: " + e.getMessage(), e);
    }
    return new ServerCounters(Map.copyOf(calls), Map.of(), server.cpuSeconds());
  }

  @Override
  public String about() {
    return about;
  }

  @Override
  public void close() {
    try {
      control.close();
    } catch (SQLException e) {
      // the server ends all the same
    }
    server.close();
  }
}
