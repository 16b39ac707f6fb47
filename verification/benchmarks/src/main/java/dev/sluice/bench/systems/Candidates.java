package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;

/** The table of everything that is measured side by side, by chapter. */
public final class Candidates {
  /** Chapter, id, engine, masters of its cluster, how to open it, what is used of it and how. */
  private static final String TABLE =
      """
      locks      | sluice         | REDIS      | 0 | sluice         | OURS
      locks      | redisson       | REDIS      | 0 | redisson       | Redisson RLock, lock() and unlock(), default settings, watchdog
      locks      | spring         | REDIS      | 0 | spring         | Spring Integration RedisLockRegistry, pub-sub mode, default expiry of 60 s
      locks      | raw            | REDIS      | 0 | lettuce        | floor: Lettuce, SET NX PX and a compare-and-delete script; contended: again after 1 ms
      locks      | raw-fenced     | REDIS      | 0 | lettuce-fenced | floor: Lettuce, two scripts: SET NX PX and INCR of a token; compare and DEL
      quorum     | sluice         | REDIS      | 0 | sluice         | OURS, redis-quorum:// of five
      quorum     | redisson       | REDIS      | 0 | redisson       | Redisson MultiLock over one RLock on each of the five, watchdog
      quorum     | raw5           | REDIS      | 0 | lettuce-quorum | floor: Lettuce, SET NX PX to all five in parallel, then a compare-and-delete script; each waits for a majority; no token
      limits     | sluice         | REDIS      | 0 | sluice         | OURS: gcra unless the workload says otherwise, tryAcquire
      limits     | redisson       | REDIS      | 0 | redisson       | Redisson RRateLimiter, OVERALL, default settings, tryAcquire
      limits     | bucket4j       | REDIS      | 0 | bucket4j       | Bucket4j over Lettuce (compare and swap), default settings, default optimisation, tryConsume
      limits     | raw            | REDIS      | 0 | lettuce        | floor: Lettuce, one connection, one GCRA script: TIME, GET, SET PX, a reply of four numbers
      bloom      | sluice         | REDIS      | 0 | sluice         | OURS
      bloom      | redisson       | REDIS      | 0 | redisson       | Redisson RBloomFilter, default settings and codec
      bloom      | raw            | REDIS      | 0 | lettuce        | floor: Lettuce, one connection, one BITFIELD with the same bits; no header, no checks, every bulk one command
      cache      | sluice         | REDIS      | 0 | sluice         | Sluice GuardedCache, this build, default settings, codec of bytes
      cache      | redisson       | REDIS      | 0 | redisson       | Redisson, keys as text, values as bytes; near: RLocalCachedMap, else RMapCache, with a MapLoader where values are loaded; default settings, so the map as a whole has no expiry
      cache      | jetcache       | REDIS      | 0 | jetcache       | JetCache over Lettuce, keys as text, its default encoder (Java serialisation); near: Caffeine in front of it; penetration protect where values are loaded
      cache      | caffeine       | REDIS      | 0 | caffeine       | floor: Caffeine alone, getIfPresent, as large, expireAfterWrite
      cache      | raw            | REDIS      | 0 | lettuce        | floor: Lettuce, one connection: GET; where values are loaded: GET, load, SET PX
      family     | sluice         | REDIS      | 0 | sluice         | OURS: semaphore, fair read-write lock and multi-lock, leases renewed
      family     | sluice-cluster | REDIS      | 3 | sluice         | OURS, redis-cluster:// of three masters: locks
      family     | redisson       | REDIS      | 0 | redisson       | Redisson RPermitExpirableSemaphore with leases of 30 s; RReadWriteLock and MultiLock with their watchdog
      family     | raw            | REDIS      | 0 | lettuce        | floor: Lettuce, two scripts: a sorted set of expiries, or keys with PX, and INCR of a token; again after 1 ms
      inventory  | sluice         | REDIS      | 0 | sluice         | OURS: claims of one unit in a drained sale, five seconds to answer
      inventory  | raw            | REDIS      | 0 | lettuce        | floor: Lettuce, EVALSHA of one script: whether the claimant is in a hash, DECR of a count, HSET, XADD; each claim a separate call
      engines    | sluice-zk      | ZOOKEEPER  | 0 | sluice         | OURS, zookeeper://
      engines    | curator        | ZOOKEEPER  | 0 | curator        | Curator InterProcessMutex, default settings, one object per thread: a shared one wakes all its threads each time
      engines    | raw-zk         | ZOOKEEPER  | 0 | zookeeper      | floor: ZooKeeper's own client, create and getChildren sent together, then delete; the lock must be uncontended
      engines    | sluice-pg      | POSTGRESQL | 0 | sluice-pooled  | OURS, over HikariCP of 10
      engines    | spring-jdbc    | POSTGRESQL | 0 | spring-jdbc    | Spring Integration JdbcLockRegistry over the same pool, default settings: expiry of 10 s, again after 100 ms
      engines    | shedlock       | POSTGRESQL | 0 | shedlock       | ShedLock JdbcTemplateLockProvider over the same pool, with the database's time, at most 30 s; it never waits
      engines    | raw-pg         | POSTGRESQL | 0 | postgresql     | floor: over the same pool, one INSERT ... ON CONFLICT DO UPDATE that returns a token, one UPDATE, each committed by itself; the lock must be uncontended
      engines    | sluice-sqlite  | SQLITE     | 0 | sluice         | OURS, jdbc:sqlite: of one file
      engines    | raw-sqlite     | SQLITE     | 0 | sqlite         | floor: BEGIN IMMEDIATE, UPDATE of a token, COMMIT with synchronous FULL; the same to give it back, with synchronous NORMAL; the lock must be uncontended
      engines    | sluice-mariadb | MARIADB    | 0 | sluice-pooled  | OURS, over HikariCP of 10
      engines    | sluice-h2      | H2         | 0 | sluice         | OURS, jdbc:h2:mem: in its own process
      engines    | sluice-redis   | REDIS      | 0 | sluice         | OURS, redis://
      engines    | sluice-memory  | MEMORY     | 0 | sluice         | OURS, memory:
      in-process | sluice         | MEMORY     | 0 | jmh            | OURS, memory:
      in-process | ReentrantLock  | MEMORY     | 0 | jmh            | floor: java.util.concurrent.locks.ReentrantLock
      in-process | caffeine       | MEMORY     | 0 | jmh            | floor: Caffeine alone, getIfPresent, as large, expireAfterWrite
      in-process | bare           | MEMORY     | 0 | jmh            | floor: the least that the same decision takes, see each workload
      """;

  private static final List<Candidate> ALL =
      TABLE.lines().map(line -> line.split(" *\\| ")).map(Candidates::candidate).toList();

  private Candidates() {}

  private static Candidate candidate(String[] fields) {
    return new Candidate(
        fields[0],
        fields[1],
        fields[5].replace("OURS", "Sluice, this build"),
        Engine.valueOf(fields[2]),
        Integer.parseInt(fields[3]),
        (uri, ttl) -> open(fields[4], uri, ttl));
  }

  private static Library open(String how, String uri, Duration ttl) throws Exception {
    return switch (how) {
      case "sluice" -> SluiceLibrary.connect(uri, ttl);
      case "sluice-pooled" -> SluiceLibrary.overPool(uri, ttl);
      case "redisson" -> new RedissonLibrary(uri, ttl);
      case "spring" -> RedisLibraries.spring(uri);
      case "lettuce" -> new LettuceFloor(uri, false);
      case "lettuce-fenced" -> new LettuceFloor(uri, true);
      case "lettuce-quorum" -> RedisLibraries.quorumFloor(uri);
      case "bucket4j" -> RedisLibraries.bucket4j(uri);
      case "jetcache" -> new JetCacheLibrary(RedisClient.create(uri));
      case "caffeine" -> RedisLibraries.caffeine();
      case "curator" -> ZooKeeperLibraries.curator(uri);
      case "zookeeper" -> ZooKeeperLibraries.floor(uri);
      case "spring-jdbc" -> SqlLibraries.spring(uri);
      case "shedlock" -> SqlLibraries.shedLock(uri);
      case "postgresql" -> SqlLibraries.postgresqlFloor(uri);
      case "sqlite" -> SqlLibraries.sqliteFloor(uri);
      default -> throw Library.cannot("separate process: " + how);
    };
  }

  /** {@return all that take part in a chapter, in the order of its tables} */
  public static List<Candidate> of(String chapter) {
    return ALL.stream().filter(each -> each.chapter().equals(chapter)).toList();
  }

  /** {@return one of them} */
  public static Candidate of(String chapter, String id) {
    return find(of(chapter), id);
  }

  /**
   * {@return the one that is called so, in any case}
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Candidate find(List<Candidate> all, String id) {
    List<String> ids = all.stream().map(Candidate::id).toList();
    return all.stream()
        .filter(each -> each.id().equalsIgnoreCase(id))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no system '" + id + "'; there are " + ids));
  }
}
