package dev.sluice.bench.run;

import dev.sluice.bench.systems.Engine;
import dev.sluice.bench.systems.PeerTables;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The stores of a bench besides its Redis. Each starts when it is first needed. */
public final class Engines {
  private final Path folder;
  private final List<String> jvmFlags;
  // guarded by this
  private final Map<Engine, Store> started = new TreeMap<>();

  Engines(Path folder, List<String> jvmFlags) {
    this.folder = folder;
    this.jvmFlags = jvmFlags;
  }

  /** {@return whether this machine has what it takes to start it} */
  public static boolean isInstalled(Engine engine) {
    return switch (engine) {
      case POSTGRESQL -> SqlStore.postgresqlPrograms().isPresent();
      case MARIADB -> SqlStore.mariadbProgram().isPresent();
      case MEMORY, REDIS, ZOOKEEPER, H2, SQLITE -> true;
    };
  }

  /** {@return program, version and settings of each that was started} */
  public synchronized Map<Engine, String> about() {
    Map<Engine, String> all = new TreeMap<>();
    started.forEach((engine, store) -> all.put(engine, store.about()));
    return all;
  }

  synchronized Store store(Engine engine) {
    return started.computeIfAbsent(engine, this::start);
  }

  private Store start(Engine engine) {
    return switch (engine) {
      case MEMORY -> new Embedded("memory:", "in the worker's own memory");
      case REDIS -> Server.start(1);
      case ZOOKEEPER -> ZooKeeperStore.start(jvmFlags);
      case POSTGRESQL -> SqlStore.postgresql();
      case MARIADB -> SqlStore.mariadb();
      case H2 -> new Embedded("jdbc:h2:mem:bench;DB_CLOSE_DELAY=-1", "in the worker's own memory");
      case SQLITE -> sqlite(folder.resolve("bench.db"));
    };
  }

  private static Store sqlite(Path file) {
    String uri = "jdbc:sqlite:" + file;
    SqlStore.makeTables(uri);
    try (Connection connection = DriverManager.getConnection(uri)) {
      PeerTables.onSqlite(connection);
      String version = connection.getMetaData().getDatabaseProductVersion();
      return new Embedded(uri, version + ", a file, write-ahead log");
    } catch (SQLException e) {
      throw new IllegalStateException("cannot make " + file + ": " + e.getMessage(), e);
    }
  }

  synchronized void close() {
    started.values().forEach(Store::close);
    started.clear();
  }
}
