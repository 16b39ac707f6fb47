package dev.sluice.bench.systems;

/** The stores that Sluice runs on. */
public enum Engine {
  /** No server: one process. */
  MEMORY("Memory"),
  /** A separate server, without persistence. */
  REDIS("Redis"),
  /** A server in a separate JVM, with its data in a folder. */
  ZOOKEEPER("ZooKeeper"),
  /** A separate server, with its data in a folder. */
  POSTGRESQL("PostgreSQL"),
  /** The same. */
  MARIADB("MariaDB"),
  /** No server: the memory of one process. */
  H2("H2"),
  /** No server: a file. */
  SQLITE("SQLite");

  private final String title;

  Engine(String title) {
    this.title = title;
  }

  /** {@return its name as its makers write it} */
  public String title() {
    return title;
  }
}
