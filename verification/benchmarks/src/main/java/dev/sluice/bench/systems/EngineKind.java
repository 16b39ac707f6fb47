package dev.sluice.bench.systems;

import java.time.Duration;

/** What is measured side by side on ZooKeeper and on databases. */
public enum EngineKind implements Peer {
  SLUICE_ZOOKEEPER(Engine.ZOOKEEPER, "sluice-zk", "Sluice, this build, zookeeper://"),
  CURATOR(
      Engine.ZOOKEEPER,
      "curator",
      "Curator InterProcessMutex, default settings, one object per thread: a shared one wakes all"
          + " its threads each time"),
  RAW_ZOOKEEPER(
      Engine.ZOOKEEPER,
      "raw-zk",
      "floor: ZooKeeper's own client, create and getChildren sent together, then delete; nobody"
          + " else may want the lock"),
  SLUICE_POSTGRESQL(
      Engine.POSTGRESQL, "sluice-pg", "Sluice, this build, over HikariCP of " + Pool.SIZE),
  SPRING_JDBC(
      Engine.POSTGRESQL,
      "spring-jdbc",
      "Spring Integration JdbcLockRegistry over the same pool, default settings: expiry of 10 s,"
          + " again after 100 ms"),
  SHEDLOCK(
      Engine.POSTGRESQL,
      "shedlock",
      "ShedLock JdbcTemplateLockProvider over the same pool, with the database's time, at most"
          + " 30 s; it never waits"),
  RAW_POSTGRESQL(
      Engine.POSTGRESQL,
      "raw-pg",
      "floor: over the same pool, one INSERT ... ON CONFLICT DO UPDATE that returns a token, one"
          + " UPDATE, each committed by itself; nobody else may want the lock"),
  SLUICE_SQLITE(Engine.SQLITE, "sluice-sqlite", "Sluice, this build, jdbc:sqlite: of one file"),
  RAW_SQLITE(
      Engine.SQLITE,
      "raw-sqlite",
      "floor: BEGIN IMMEDIATE, UPDATE of a token, COMMIT with synchronous FULL; the same to give"
          + " it back, with synchronous NORMAL; nobody else may want the lock"),
  SLUICE_MARIADB(
      Engine.MARIADB, "sluice-mariadb", "Sluice, this build, over HikariCP of " + Pool.SIZE),
  SLUICE_H2(Engine.H2, "sluice-h2", "Sluice, this build, jdbc:h2:mem: in its own process"),
  SLUICE_REDIS(Engine.REDIS, "sluice-redis", "Sluice, this build, redis://"),
  SLUICE_MEMORY(Engine.MEMORY, "sluice-memory", "Sluice, this build, memory:");

  /** Their chapter. */
  public static final String CHAPTER = "engines";

  private final Engine engine;
  private final String id;
  private final String description;

  EngineKind(Engine engine, String id, String description) {
    this.engine = engine;
    this.id = id;
    this.description = description;
  }

  /** {@return what it runs on} */
  public Engine engine() {
    return engine;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public String chapter() {
    return CHAPTER;
  }

  /**
   * Opens a client.
   *
   * @param uri of its engine
   * @param ttl length of a lease where the library renews it
   */
  public LockSystem open(String uri, Duration ttl) {
    return switch (this) {
      case SLUICE_ZOOKEEPER, SLUICE_SQLITE, SLUICE_H2, SLUICE_REDIS, SLUICE_MEMORY ->
          new SluiceSystem(uri, ttl);
      case SLUICE_POSTGRESQL, SLUICE_MARIADB -> SluiceSystem.overPool(uri, ttl);
      case CURATOR -> new CuratorSystem(uri);
      case RAW_ZOOKEEPER -> new RawZooKeeper(uri);
      case SPRING_JDBC -> new SpringJdbcSystem(uri);
      case SHEDLOCK -> new ShedLockSystem(uri);
      case RAW_POSTGRESQL -> new RawPostgresql(uri);
      case RAW_SQLITE -> new RawSqlite(uri);
    };
  }
}
